package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/slack-go/slack/slackevents"

	"github.com/roundtable-chat/app/bot/people"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Times of routing.
const (
	// aliasWithin is how long a thread of ours may be unknown before the event
	// is left for redelivery: its first message is posted before the store
	// learns where it stands.
	aliasWithin = 2 * time.Second
	aliasEvery  = 100 * time.Millisecond
	// aliasYoung is how old a thread may be for that to be the reason.
	aliasYoung = 10 * time.Minute
)

// read reads an event: a happening, the Home tab being opened, or nil for what
// concerns nobody, and why it does not.
func (b *Bot) read(e slackevents.EventsAPIEvent) (what any, why skipReason) {
	if opened, ok := e.InnerEvent.Data.(*slackevents.AppHomeOpenedEvent); ok && (e.TeamID == "" || e.TeamID == b.self.team) {
		return opened, ""
	}
	h := decodeEvent(e, b.self)
	if h.Skip != "" {
		return nil, h.Skip
	}
	return h, ""
}

// event handles a happening and says what became of it. Its event may be acknowledged
// unless that is endUnacknowledged: it is safe, or it concerns no discussion. What nobody has to wait for is left for later.
func (b *Bot) event(ctx context.Context, h happening) (end string, later task) {
	why, later, err := b.accept(ctx, h)
	if err != nil {
		b.log.Warn("event not taken", "input", h.Input.ID, "channel", h.Channel, "error", webapi.Scrub(err))
		return endUnacknowledged, later
	}
	return cmp.Or(string(why), endDelivered), later
}

// accept puts a happening into its discussion's mailbox, or says why it falls
// away. An error means that it has to be delivered again.
func (b *Bot) accept(ctx context.Context, h happening) (why skipReason, later task, err error) {
	if h.Thread == "" && !h.Mention {
		return b.marked(ctx, h)
	}
	var ref engine.Ref
	known := false
	if h.Thread != "" {
		if ref, known, err = b.discussion(ctx, h); err != nil {
			return "", nil, err
		}
	}
	switch {
	case h.Mention && known:
		return skipMentionOnly, nil, nil
	case h.Mention:
		later, err = b.mentioned(ctx, h)
		return "", later, err
	case !known:
		return skipUnknown, nil, nil
	case b.outsider(ctx, h):
		return skipForeigner, nil, nil
	}
	if w, ok := b.wishInThread(h); ok {
		text, later := b.showInThread(ctx, ref, w, asker{channel: h.Channel, thread: h.Thread, user: h.User, foreign: h.Foreign})
		return skipWish, inTurn(b.answering(h.Channel, h.Thread, h.User, text), later), nil
	}
	if r, ok := b.keepInThread(h); ok {
		text := b.takeBack(ctx, r, asker{channel: h.Channel, thread: h.Thread, user: h.User, foreign: h.Foreign, request: "m:" + h.Message, at: moment(h.Message)})
		return skipWish, b.answering(h.Channel, h.Thread, h.User, text), nil
	}
	return b.deliver(ctx, ref, h)
}

func (b *Bot) deliver(ctx context.Context, ref engine.Ref, h happening) (why skipReason, later task, err error) {
	if _, said := h.Input.Event.(roundtable.Deleted); !said {
		b.heard.listen(h.Channel, h.Thread, h.Text)
	}
	if h.Thread != "" {
		b.threads.keepMessage(h.Channel, h.Message, h.Thread)
	}
	r, err := b.put(ctx, engine.Delivery{Ref: ref, Also: h.Also, From: h.User}, b.named(ctx, h.Input))
	if err != nil {
		return "", nil, err
	}
	switch r {
	case engine.Stored, engine.Duplicate:
		return "", nil, nil
	case engine.Closed:
		return skipClosed, b.calledInVain(ref, h), nil
	case engine.Unknown:
		// Forgotten by the store: the thread is free for another discussion.
		b.threads.discussions.Remove(spot{h.Channel, h.Thread})
		return skipUnknown, nil, nil
	case engine.Full:
		return "", b.crowded(h), errors.New("the mailbox is full")
	case engine.Taken: // of openings only, and this is none
	}
	return "", nil, fmt.Errorf("unknown reception %q", r)
}

// calledInVain is the task of telling a person, once for each message and in private, that a
// thread takes nothing more in which they called the app: its discussion has ended, or was
// forgotten and is out of sight. There is none for a message that does not mention the app.
func (b *Bot) calledInVain(ref engine.Ref, h happening) task {
	if !b.calls(h) {
		return nil
	}
	if again, _ := b.performed.ContainsOrAdd(spot{h.Channel, h.Message}, struct{}{}); again {
		return nil // delivered once more because its acknowledgement was lost
	}
	return func(ctx context.Context) {
		sentence := say.Ended()
		_, err := b.opts.Reader.View(ctx, ref)
		switch {
		case errors.Is(err, engine.ErrForgotten):
			sentence = forgetting.SayOutOfSight()
		case errors.Is(err, engine.ErrNotFound):
			sentence = say.Gone()
		case err != nil: // that it takes nothing more is known, and why is not
			b.log.Warn("closed discussion not read", "discussion", ref.ID, "error", webapi.Scrub(err))
		}
		b.answer(ctx, h.Channel, h.Thread, h.User, sentence)
	}
}

// calls reports whether somebody mentions the app in a message.
func (b *Bot) calls(h happening) bool {
	said, ok := h.Input.Event.(roundtable.Said)
	return ok && (strings.Contains(said.Text, "<@"+b.self.user+">") || strings.Contains(said.Text, "<@"+b.self.user+"|"))
}

// put stores an input.
func (b *Bot) put(ctx context.Context, d engine.Delivery, in roundtable.Input) (engine.Reception, error) {
	body, err := roundtable.EncodeInput(in)
	if err != nil {
		return "", err
	}
	d.Mail = engine.Mail{ID: in.ID, Body: body}
	r, err := b.inbox.Receive(ctx, d)
	if err != nil {
		return "", fmt.Errorf("put %s into the mailbox: %w", in.ID, err)
	}
	return r, nil
}

// named gives the people in an input names.
func (b *Bot) named(ctx context.Context, in roundtable.Input) roundtable.Input {
	switch e := in.Event.(type) {
	case roundtable.Said:
		e.By = b.participant(ctx, e.By.ID)
		e.Zone = b.people.Zone(e.By.ID)
		e.Text = b.withNames(ctx, e.Text)
		in.Event = e
	case roundtable.Edited:
		e.By = b.participant(ctx, e.By.ID)
		e.Text = b.withNames(ctx, e.Text)
		in.Event = e
	case roundtable.Reacted:
		e.By = b.participant(ctx, e.By.ID)
		in.Event = e
	case roundtable.Pressed:
		e.By = b.participant(ctx, e.By.ID)
		in.Event = e
	case roundtable.Opened, roundtable.Deleted, roundtable.TimerFired, roundtable.Framed, roundtable.Contributed, roundtable.RoundEnded,
		roundtable.Drafted, roundtable.Failed, roundtable.Posted, roundtable.DocumentsWritten, roundtable.Analysed, roundtable.DNDChecked,
		roundtable.Identified, roundtable.Parked:
		// Nobody to name, or named already.
	}
	return in
}

// participant is somebody with a name and a standing. A person who is not admitted to more
// may take part in what is said: the rules keep the rest from them, for it can be typed,
// too.
func (b *Bot) participant(ctx context.Context, user string) thread.Person {
	p, ok := b.people.Profile(ctx, user)
	return p.Person(user).As(b.standing(p, ok))
}

// standing is who somebody is as far as the policy is concerned; ok is false where Slack
// does not say.
func (b *Bot) standing(p people.Profile, ok bool) thread.Standing {
	switch policy := b.opts.Policy; {
	case policy.AllowShared && policy.AllowGuests:
		return thread.StandingMember // everybody may do what members may
	case !ok:
		return thread.StandingUnknown
	case p.Outside && !policy.AllowShared:
		return thread.StandingOutsider
	case p.Guest && !policy.AllowGuests:
		return thread.StandingGuest
	}
	return thread.StandingMember
}

// strictly is somebody with a name and with the standing that Slack gives them, whatever the
// policy grants to guests and others; foreign is their workspace if Slack has said already
// that it is another one.
func (b *Bot) strictly(ctx context.Context, user, foreign string) thread.Person {
	p, ok := b.people.Profile(ctx, user)
	is := thread.StandingMember
	switch {
	case foreign != "", ok && p.Outside:
		is = thread.StandingOutsider
	case !ok:
		is = thread.StandingUnknown
	case p.Guest:
		is = thread.StandingGuest
	}
	return p.Person(user).As(is)
}

// identify says who somebody is, as far as the policy is concerned or strictly, and if Slack
// does not say, when it may be asked again.
func (b *Bot) identify(ctx context.Context, user string, strictly bool) (thread.Person, time.Duration) {
	p := b.participant(ctx, user)
	if strictly {
		p = b.strictly(ctx, user, "")
	}
	if p.Is() != thread.StandingUnknown {
		return p, 0
	}
	return p, b.people.After(user)
}

// outsider reports whether the policy keeps a person out of discussions. A person of whom
// Slack does not say who they are, and not that they are from elsewhere, may write: the
// channel is internal, or no discussion could have been opened in it. The rules let them do
// nothing else.
func (b *Bot) outsider(ctx context.Context, h happening) bool {
	if b.opts.Policy.AllowShared || h.User == "" {
		return false
	}
	if h.Foreign != "" {
		return true
	}
	p, ok := b.people.Profile(ctx, h.User)
	return ok && p.Outside
}

// discussion finds a thread's discussion. In a thread that begins with a message
// of ours there has to be one, so it is looked for a little longer, and while
// the thread is young the event is left to be delivered again.
func (b *Bot) discussion(ctx context.Context, h happening) (engine.Ref, bool, error) {
	deadline := time.Now().Add(aliasWithin)
	for {
		ref, ok, err := b.find(ctx, h.Channel, h.Thread)
		if err != nil || ok || !h.OurRoot {
			return ref, ok, err
		}
		if time.Now().After(deadline) || !sleep(ctx, aliasEvery) {
			break
		}
	}
	if time.Since(moment(h.Thread)) < aliasYoung {
		return engine.Ref{}, false, errors.New("the thread is ours but its discussion is not known yet")
	}
	return engine.Ref{}, false, nil
}

func (b *Bot) find(ctx context.Context, channel, thread string) (engine.Ref, bool, error) {
	at := spot{channel, thread}
	if ref, ok := b.threads.discussions.Get(at); ok {
		return ref, true, nil
	}
	ref, ok, err := b.opts.Threads.FindThread(ctx, b.self.team, channel, thread)
	if err != nil {
		return engine.Ref{}, false, fmt.Errorf("find the discussion of a thread: %w", err)
	}
	if ok {
		b.threads.discussions.Add(at, ref)
	}
	return ref, ok, nil
}
