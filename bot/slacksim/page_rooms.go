package slacksim

import (
	"io"
	"net/http"
	"path"
	"slices"
	"time"
)

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
	w.show(audience{}, "person", object{"person": p})
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
