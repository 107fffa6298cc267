package slacksim

import (
	"io"
	"net/http"
	"path"
	"slices"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim/blockkit"
	"github.com/roundtable-chat/app/bot/slacksim/feed"
)

// unanswered turns an app's silence into a sentence.
func unanswered(o outcome) error {
	if o.failure == "" {
		return nil
	}
	return decline(failureStatus(o.failure), o.failure, "The app did not answer. Try again.")
}

// press sends a click or a choice to the app.
func (w *Workspace) press(p *Person, a *act) (object, error) {
	w.mu.Lock()
	done, err := w.pressing(p, a)
	w.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return nil, unanswered(w.await(done))
}

// pressing finds the element a person acted on and sends the act.
func (w *Workspace) pressing(p *Person, a *act) (<-chan outcome, error) {
	var values any
	if a.Values != nil {
		values = a.Values
	}
	if a.ViewID != "" {
		v := w.find(a.ViewID, "")
		if v == nil || v.user != p.ID {
			return nil, decline(http.StatusNotFound, "not_found", "This dialog is closed.")
		}
		e := blockkit.Find(v.blocks(), a.BlockID, a.ActionID)
		if e == nil {
			return nil, decline(http.StatusNotFound, "action_not_found", "This button is gone.")
		}
		return w.pressedInView(p, v, w.chosen(e, a.BlockID, a.choice), values), nil
	}
	ch := w.byID[a.Channel]
	if ch == nil || !ch.visibleTo(p.ID) {
		return nil, decline(http.StatusNotFound, "channel_not_found", "There is no such channel.")
	}
	m := ch.at(a.MessageTS)
	if e := w.whispered(p.ID, ch.ID, a.MessageTS); e != nil {
		m = &e.Message
	}
	if m == nil {
		return nil, decline(http.StatusNotFound, "message_not_found", "This message is gone.")
	}
	e := blockkit.Find(m.Blocks, a.BlockID, a.ActionID)
	if e == nil {
		return nil, decline(http.StatusNotFound, "action_not_found", "This button is gone.")
	}
	return w.pressed(p, ch, m, w.chosen(e, a.BlockID, a.choice), values), nil
}

// openView finds a modal a person has open.
func (w *Workspace) openView(p *Person, id string) (*view, error) {
	v := w.find(id, "")
	if v == nil || v.user != p.ID || v.text("type") != "modal" {
		return nil, decline(http.StatusNotFound, "not_found", "This dialog is closed.")
	}
	return v, nil
}

// submit sends a modal's values to the app and does what it answers.
func (w *Workspace) submit(p *Person, a *act) (object, error) {
	w.mu.Lock()
	v, err := w.openView(p, a.ViewID)
	if err != nil {
		w.mu.Unlock()
		return nil, err
	}
	values := blockkit.CompleteValues(v.blocks(), a.Values)
	if missing := blockkit.Missing(v.blocks(), values); len(missing) > 0 {
		w.mu.Unlock()
		return object{"response_action": "errors", "errors": missing}, nil
	}
	done := w.submitted(p, v, values)
	w.mu.Unlock()
	o := w.await(done)
	if o.failure != "" {
		return nil, decline(failureStatus(o.failure), o.failure, "We had some trouble connecting. Try again?")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := w.settle(v, o.payload)
	if err != nil {
		w.warn("view_submission: answer refused: %v", err)
		return nil, decline(http.StatusBadGateway, err.Error(), "The app's answer made no sense. Try again?")
	}
	if s.Errors == nil {
		s.Errors = map[string]string{}
	}
	return object{"response_action": s.Action, "errors": s.Errors}, nil
}

// closeView is a person cancelling a modal, or all of them.
func (w *Workspace) closeView(p *Person, a *act) (object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	v, err := w.openView(p, a.ViewID)
	if err != nil {
		return nil, err
	}
	cleared, _ := v.body["clear_on_close"].(bool)
	if a.Clear || cleared {
		for _, each := range slices.Backward(w.modals[p.ID]) {
			w.dismissed(p, each, true)
		}
		w.modals[p.ID] = nil
		w.showModals(p.ID)
		return nil, nil
	}
	w.lower(v)
	w.dismissed(p, v, false)
	return nil, nil
}

// useShortcut sends a message shortcut or a global one.
func (w *Workspace) useShortcut(p *Person, a *act) (object, error) {
	w.mu.Lock()
	var ch *channel
	var m *Message
	if a.TS != "" {
		if ch = w.byID[a.Channel]; ch != nil && ch.visibleTo(p.ID) {
			m = ch.at(a.TS)
		}
		if m == nil {
			w.mu.Unlock()
			return nil, decline(http.StatusNotFound, "message_not_found", "This message is gone.")
		}
	}
	done := w.shortcut(p, a.CallbackID, ch, m)
	w.mu.Unlock()
	return nil, unanswered(w.await(done))
}

// openHome tells the app that a person looks at its Home or Messages tab.
func (w *Workspace) openHome(p *Person, a *act) (object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	tab := a.Tab
	if tab == "" {
		tab = "home"
	}
	dm := w.directMessage(p.ID)
	event := object{"type": "app_home_opened", "user": p.ID, "channel": dm.ID, "tab": tab, "event_ts": w.ids.ts(w.now())}
	if v := w.homes[p.ID]; v != nil && tab == "home" {
		event["view"] = v.body
	}
	if a.Channel != "" {
		event["context"] = object{"entities": []any{object{"type": "slack#/types/channel_id", "value": a.Channel}}}
	}
	w.tell(event, dm.ID)
	return nil, nil
}

// joinChannel lets a person in, or invites another, the app included.
func (w *Workspace) joinChannel(p *Person, a *act) (object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch := w.byID[a.Channel]
	if ch == nil || !ch.visibleTo(p.ID) || ch.Kind == kindIM {
		return nil, decline(http.StatusNotFound, "channel_not_found", "There is no such channel.")
	}
	user, inviter := p.ID, ""
	if a.User != "" && a.User != p.ID {
		user, inviter = a.User, p.ID
	}
	if w.person(user) == nil {
		return nil, decline(http.StatusNotFound, "unknown_person", "There is no such person.")
	}
	w.join(ch, user, inviter)
	return nil, nil
}

// leaveChannel lets a person out, or removes another.
func (w *Workspace) leaveChannel(p *Person, a *act) (object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch := w.byID[a.Channel]
	if ch == nil || !ch.visibleTo(p.ID) || ch.Kind == kindIM {
		return nil, decline(http.StatusNotFound, "channel_not_found", "There is no such channel.")
	}
	user := p.ID
	if a.User != "" {
		user = a.User
	}
	if !ch.has(user) {
		return nil, nil
	}
	if ch.has(w.opts.BotUserID) {
		w.tellChannel("member_left_channel", ch, user, object{"channel_type": "C", "team": w.opts.TeamID})
	}
	ch.Members = slices.DeleteFunc(ch.Members, func(id string) bool { return id == user })
	w.changed()
	w.showChannel(ch)
	return nil, nil
}

// archive closes a channel or opens it again.
func (w *Workspace) archive(p *Person, a *act) (object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch := w.byID[a.Channel]
	if ch == nil || !ch.visibleTo(p.ID) || ch.Kind == kindIM {
		return nil, decline(http.StatusNotFound, "channel_not_found", "There is no such channel.")
	}
	if ch.Archived == !a.Unarchive {
		return nil, nil
	}
	ch.Archived = !a.Unarchive
	kind := "channel_archive"
	if a.Unarchive {
		kind = "channel_unarchive"
	}
	if ch.Kind == kindPrivate {
		kind = "group" + kind[len("channel"):]
	}
	w.changed()
	w.showChannel(ch)
	w.tellChannel(kind, ch, p.ID, nil)
	return nil, nil
}

// dismissEphemeral is a person closing an ephemeral message.
func (w *Workspace) dismissEphemeral(p *Person, a *act) (object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.whispered(p.ID, a.Channel, a.TS); e != nil {
		w.forget(e)
	}
	return nil, nil
}

// editPerson changes a profile.
func (w *Workspace) editPerson(p *Person, a *act) (object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.TZ != nil {
		if _, err := time.LoadLocation(*a.TZ); err != nil {
			return nil, decline(http.StatusBadRequest, "invalid_tz", "There is no time zone %s.", *a.TZ)
		}
		p.TZ = *a.TZ
	}
	if a.TZLabel != nil {
		p.TZLabel = *a.TZLabel
	}
	if a.TZOffset != nil {
		p.TZOffset = *a.TZOffset
	}
	if a.RealName != nil {
		p.RealName, p.Initials = *a.RealName, initials(*a.RealName)
	}
	if a.DND != nil {
		p.DND = a.DND
	}
	w.changed()
	w.show(feed.Audience{}, "person", object{"person": p})
	w.tell(object{"type": "user_change", "user": w.member(p), "cache_ts": w.now().Unix(), "event_ts": w.ids.ts(w.now())}, "")
	return nil, nil
}

// serveSimUpload keeps a file that a person attaches to a message.
func (w *Workspace) serveSimUpload(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, fileLimit))
	if err != nil {
		answerPage(rw, nil, decline(http.StatusRequestEntityTooLarge, "file_too_large", "The file is larger than 12 MB."))
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.person(r.URL.Query().Get("as"))
	if p == nil || p.IsBot {
		answerPage(rw, nil, decline(http.StatusNotFound, "unknown_person", "There is no such person."))
		return
	}
	name := path.Base("/" + r.URL.Query().Get("filename"))
	if name == "/" {
		name = "file"
	}
	f := &file{ID: w.ids.next("F"), Name: name, Title: name, User: p.ID, Created: w.now().Unix(), Bytes: body}
	w.files[f.ID] = f
	w.changed()
	answerPage(rw, object{"file": f.shape()}, nil)
}
