package slacksim

import "slices"

// ephemeral is a message that only one person sees, until they reload.
type ephemeral struct {
	Message
	user string
}

// whisper shows a message to one person.
func (w *Workspace) whisper(ch *channel, user string, m *Message) *ephemeral {
	m.TS = w.ids.ts(w.now())
	m.Channel, m.IsEphemeral = ch.ID, true
	e := &ephemeral{Message: *m, user: user}
	w.hidden[user] = append(w.hidden[user], e)
	w.showEphemeral(e)
	return e
}

func (w *Workspace) showEphemeral(e *ephemeral) {
	w.show(audience{user: e.user}, "ephemeral", object{"channel": e.Channel, "message": &e.Message})
}

// whispered finds a person's ephemeral message.
func (w *Workspace) whispered(user, channel, ts string) *ephemeral {
	for _, e := range w.hidden[user] {
		if e.TS == ts && e.Channel == channel {
			return e
		}
	}
	return nil
}

// forget removes an ephemeral message.
func (w *Workspace) forget(e *ephemeral) {
	w.hidden[e.user] = slices.DeleteFunc(w.hidden[e.user], func(o *ephemeral) bool { return o == e })
	w.show(audience{user: e.user}, "ephemeral_deleted", object{"channel": e.Channel, "ts": e.TS})
}
