package engine

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// workingCopy is a claimed discussion in memory: its state, log, mail and outbox as the
// store has them, and on top of them what was decided since.
//
// What the rules decide is gathered and committed only where it must stand before the
// world may see its consequences: before a post, before documents are written, before
// the discussion is given back. Until then the causes wait in the mailbox, and a crash
// only decides the same again.
type workingCopy struct {
	*lease

	m       matter
	at      status // of m
	state   []byte // m as stored
	history history
	mail    []pendingInput  // what waits, in order
	outbox  []pendingEffect // what is to be performed, in order
	change  change

	// attempted is when the head of the outbox was marked, by the store's clock.
	attempted time.Time
	attempts  int
	// woken is the wake-up served last: it must not come again.
	woken time.Time

	// unverified is set when the store may have forgotten something; foundPosts are
	// the posts that stand in Slack, by key, once it was verified.
	unverified bool
	foundPosts map[string]string
}

// change is what was decided and not committed yet, apart from the state, the log and
// effects that are not stored.
type change struct {
	consumed []string
	acts     []Act
	done     int
	posted   []string // timestamps
	alias    string
	park     []string
	parkFor  string
}

// pendingEffect is an effect to be performed. stored is false while only this worker
// knows of it.
type pendingEffect struct {
	entry  OutboxEntry
	effect effect
	stored bool
}

// load decodes the claim. known is the beginning of the log that the replica has.
func (w *workingCopy) load(ctx context.Context, known keptLog) error {
	w.state, w.m = w.claim.State, w.e.matter(w.claim.State, w.claim.Mail)
	if err := w.decode(); err != nil {
		return err
	}
	if err := w.history.load(ctx, w.e.opt.Store, w.claim, known); err != nil {
		return err
	}
	w.publishLog()
	for _, entry := range w.claim.Outbox {
		e, err := w.readEffect(entry)
		if err != nil {
			return err
		}
		w.outbox = append(w.outbox, e)
	}
	err := w.sortMail(w.claim.Mail)
	w.claim.Log, w.claim.Mail = nil, nil // decoded, and as long again
	return err
}

// decode reads the matter as stored.
func (w *workingCopy) decode() error {
	err := w.m.decode(w.state)
	w.at = w.m.status()
	return err
}

// readEffect decodes an effect of the outbox.
func (w *workingCopy) readEffect(entry OutboxEntry) (pendingEffect, error) {
	e, err := w.m.decodeEffect(entry.Body)
	if err != nil {
		return pendingEffect{}, fmt.Errorf("effect %s: %w", entry.Key, err)
	}
	return pendingEffect{entry: entry, effect: e, stored: true}, nil
}

// place is where the discussion lives, also while it is not opened yet.
func (w *workingCopy) place() thread.Place {
	if w.at.state == "" {
		return thread.Place{Team: w.claim.Ref.Team, Channel: w.claim.Ref.Channel}
	}
	return w.at.place
}

// feed gives an input to the rules and gathers what they decide.
func (w *workingCopy) feed(ctx context.Context, in input) error {
	before := w.at.place.Thread
	in.overtaken = w.history.overtaken(in.event)
	if in.excess = w.history.excess(in.event); in.excess != thread.ExcessNone {
		w.log.LogAttrs(ctx, slog.LevelWarn, "no_room", slog.String("input", in.id), slog.String("excess", string(in.excess)))
	}
	d, err := w.decide(in)
	if err != nil {
		return err
	}
	w.at = w.m.status()
	acts := d.acts
	for _, entry := range d.entries {
		noted, err := w.history.note(entry)
		if err != nil {
			return err
		}
		acts = append(acts, noted...)
	}
	w.change.acts = append(w.change.acts, w.actsOf(in, acts)...)
	for _, e := range d.effects {
		body, err := w.m.encodeEffect(e)
		if err != nil {
			return err
		}
		w.outbox = append(w.outbox, pendingEffect{entry: OutboxEntry{Key: e.EffectKey(), Body: body}, effect: e})
	}
	if w.at.place.Thread != before {
		w.change.alias = w.at.place.Thread
	}
	w.e.metrics.steps.WithLabelValues(eventName(in.event)).Inc()
	w.log.LogAttrs(ctx, slog.LevelInfo, "step",
		slog.String("input", in.id), slog.String("event", eventName(in.event)), slog.String("state", w.at.state),
		slog.Int("turns", w.at.turns), slog.Int("effects", len(d.effects)), slog.Int("entries", len(d.entries)))
	return nil
}

// stepPanic is a panic of the rules.
type stepPanic struct {
	input string
	value any
}

func (p *stepPanic) Error() string {
	// The value may quote a person's text, so only its type is told (I11).
	return fmt.Sprintf("the rules panicked on input %s (%T)", p.input, p.value)
}

// decide calls the rules. A panic is theirs, not ours: it becomes an error.
func (w *workingCopy) decide(in input) (d decision, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &stepPanic{input: in.id, value: v}
		}
	}()
	return w.m.step(in), nil
}

// actsOf are the acts that an input led to, as the record knows them.
func (w *workingCopy) actsOf(in input, acts []thread.Audit) []Act {
	lines := make([]Act, 0, len(acts))
	for i, a := range acts {
		lines = append(lines, Act{
			ID:   ActID(w.claim.Ref.ID, in.id, strconv.Itoa(i)),
			Team: w.claim.Ref.Team, Channel: w.claim.Ref.Channel, Thread: w.claim.Ref.ID, Item: cmp.Or(w.at.mark, thread.ItemMark(w.at.item)), Audit: a,
		})
	}
	return lines
}

// pop takes the head off the outbox: it was performed or given up.
func (w *workingCopy) pop() {
	if w.outbox[0].stored {
		w.change.done++
	}
	w.outbox = w.outbox[1:]
	w.m.upkeep().Unmade = nil
	w.attempted, w.attempts = time.Time{}, 0
}

// failure is the input that says that an effect was given up.
func (w *workingCopy) failure(key string, reason thread.Reason) input {
	return input{id: key + "/failed", at: w.now(), event: roundtable.Failed{Effect: key, Reason: reason}}
}

// giveUp takes the head off the outbox unperformed and tells the rules why.
func (w *workingCopy) giveUp(ctx context.Context, reason thread.Reason) error {
	failed := roundtable.Failed{Effect: w.outbox[0].entry.Key, Reason: reason}
	if p, ok := w.outbox[0].effect.(roundtable.Post); ok {
		failed.Kind = p.Message.Kind
	}
	w.pop()
	return w.feed(ctx, input{id: failed.Effect + "/failed", at: w.now(), event: failed})
}

// giveUpReason is why an effect is given up that no holder survived, or that is too large.
func (w *workingCopy) giveUpReason(e effect) thread.Reason {
	if _, ok := w.m.writing(e); ok {
		return thread.ReasonArtifactRefused
	}
	return thread.ReasonMessageRefused
}

// unmadeLimit is how often in a row an effect may fail here before it is put aside.
// Once could be a machine that is short of time; what fails three times does so for
// what it holds, whichever replica tries.
const unmadeLimit = 3

// unmade decides what becomes of the effect at the head of the outbox when it failed
// here and not at Slack or at the store: a message that cannot be drawn, documents that
// cannot be merged in time. Such a failure is not waited out, as one of the network is.
// It is counted in the state, so that it counts for every holder, and at
// last the effect is given up with a sentence (I10). c says what becomes of the mark.
func (w *workingCopy) unmade(ctx context.Context, c Commit, reason thread.Reason) error {
	u, key := w.m.upkeep(), w.outbox[0].entry.Key
	n := &thread.Unmade{Effect: key, Times: 1}
	if u.Unmade != nil && u.Unmade.Effect == key {
		n.Times += u.Unmade.Times
	}
	u.Unmade = n
	if n.Times < unmadeLimit {
		return w.yield(ctx, c, backoff(n.Times))
	}
	w.log.LogAttrs(ctx, slog.LevelError, "effect_put_aside", slog.String("key", key), slog.Int("times", n.Times))
	return w.giveUp(ctx, reason)
}

// owes reports whether something happened that only this worker knows of and that
// cannot simply be decided again: a receipt, or an effect that people should see.
func (w *workingCopy) owes() bool {
	if w.change.done > 0 || w.change.alias != "" {
		return true
	}
	for _, e := range w.outbox {
		if !e.stored {
			return true
		}
	}
	return false
}

// gathered reports whether anything was decided that is not committed yet.
func (w *workingCopy) gathered() bool {
	c := &w.change
	return w.owes() || w.history.changed()+len(c.consumed)+len(c.park)+len(c.acts) > 0
}

// flush commits everything gathered together with c.
func (w *workingCopy) flush(ctx context.Context, c Commit) (Committed, error) {
	if err := w.inTime(); err != nil {
		return Committed{}, err
	}
	body, err := w.fill(&c)
	if err != nil {
		return Committed{}, err
	}
	sent := time.Now()
	r, err := w.e.opt.Store.Commit(ctx, w.claim, c)
	if err != nil {
		w.history.inDoubt()
		return Committed{}, fmt.Errorf("commit discussion %s: %w", w.claim.Ref.ID, err)
	}
	if r.Occupied {
		w.log.LogAttrs(ctx, slog.LevelWarn, "thread_occupied", slog.String("thread", c.Alias))
	}
	w.state = body
	w.history.saved(r)
	w.change = change{}
	w.claim.Tried = "" // the store forgot it, too
	for i := range w.outbox {
		w.outbox[i].stored = true
	}
	w.publishLog()
	return r, w.accept(r, sent)
}

// publishLog tells the goroutines that bring mail how much of the log the worker has.
func (w *workingCopy) publishLog() {
	w.local.logged.Store(&loggedTo{len(w.history.committed), w.history.rev})
}

// fill puts what was gathered into a commit and returns the state's stored form.
func (w *workingCopy) fill(c *Commit) ([]byte, error) {
	body := w.state
	if w.at.state != "" {
		var err error
		if body, err = w.m.encode(); err != nil {
			return nil, err
		}
	}
	if !bytes.Equal(body, w.state) {
		c.State = body
	}
	w.history.fill(c)
	c.Consumed, c.Done, c.Alias, c.Posted = w.change.consumed, w.change.done, w.change.alias, w.change.posted
	c.Park, c.ParkReason, c.Acts = w.change.park, w.change.parkFor, w.change.acts
	c.Doubt = w.adopting(*c)
	for _, e := range w.outbox {
		if !e.stored {
			c.Enqueue = append(c.Enqueue, e.entry)
		}
	}
	return body, nil
}

// commitAlone commits what was gathered, if there is anything: an empty commit would
// only make the store forget what it counted. Before a rewound store was verified
// nothing may be committed.
func (w *workingCopy) commitAlone(ctx context.Context) error {
	if w.unverified {
		return nil
	}
	var c Commit
	body, err := w.fill(&c)
	if err != nil || bytes.Equal(body, w.state) && !w.owes() && len(c.Consumed)+len(c.Append)+len(c.Rewrite)+len(c.Park)+len(c.Acts) == 0 {
		return err
	}
	_, err = w.flush(ctx, Commit{})
	return err
}

// undo forgets everything that was decided since the last commit. Nothing of it was
// performed.
func (w *workingCopy) undo() error {
	w.history.undo()
	w.outbox = slices.DeleteFunc(w.outbox, func(e pendingEffect) bool { return !e.stored })
	w.change = change{}
	if err := w.decode(); err != nil {
		return fmt.Errorf("go back to the last commit of %s: %w", w.claim.Ref.ID, err)
	}
	return nil
}
