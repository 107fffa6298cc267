package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// enrichTries bounds how often a write is tried against others who write the same
// item at the same moment (FR-008: both land).
const enrichTries = 20

// mergeTime bounds what merging may take in all, and with it how long one matter can
// keep a processor. What takes longer is tried again, because the machine may have been
// busy, and put aside at last.
const mergeTime = 20 * time.Second

var errMergeTime = errors.New("merging took too long")

// write makes a change of the item, once however often it is tried (I8). Everything
// gathered is committed first: what is written must follow from a conclusion that
// cannot be forgotten and drafted differently.
func (p *performer) write(ctx context.Context, e effect, w writing) error {
	if _, err := p.copy.flush(ctx, Commit{}); err != nil {
		return err
	}
	start := time.Now()
	changes, err := p.writeItem(ctx, w)
	var refused *refusal
	switch {
	case errors.As(err, &refused), errors.Is(err, ErrBarred), errors.Is(err, ErrTooLarge):
		p.copy.effectDone(ctx, e, string(Refused), start, err)
		p.copy.log.LogAttrs(ctx, slog.LevelError, "item_refused", slog.Any("item", Private(p.copy.at.item)), slog.Any("error", err))
		return p.copy.giveUp(ctx, thread.ReasonArtifactRefused)
	case errors.Is(err, errMergeTime):
		p.copy.effectDone(ctx, e, string(Unmade), start, err)
		return p.copy.unmade(ctx, Commit{}, thread.ReasonArtifactRefused)
	case isFinal(err), ctx.Err() != nil:
		return err
	case err != nil:
		p.copy.effectDone(ctx, e, "not_written", start, err)
		return p.copy.wait(ctx, failedPause)
	}
	p.copy.effectDone(ctx, e, outcomeDone, start, nil)
	p.copy.pop()
	receipt := w.receipt(changes)
	return p.copy.feed(ctx, input{id: e.EffectKey() + "/" + eventName(receipt), at: p.copy.now(), event: receipt})
}

// refusal is an error that trying again does not mend: the item cannot take what is
// to be written without losing something.
type refusal struct{ err error }

func (r *refusal) Error() string { return r.err.Error() }

func (r *refusal) Unwrap() error { return r.err }

// writeItem reads the item, merges and writes, until no other writer came in between.
func (p *performer) writeItem(ctx context.Context, w writing) ([]thread.ArtifactChange, error) {
	ref := ItemRef{Team: p.copy.claim.Ref.Team, Channel: p.copy.claim.Ref.Channel, Slug: p.copy.at.item}
	for range enrichTries {
		item, err := p.readItem(ctx, ref)
		if err != nil {
			return nil, err
		}
		if result, ok := item.Applied[w.once]; ok {
			var changes []thread.ArtifactChange
			if err := json.Unmarshal(result, &changes); err != nil {
				return nil, &refusal{ref.Discreet(fmt.Errorf("read what was written to item %s: %w", ref.Slug, err))}
			}
			return changes, nil
		}
		change, changes, err := p.merge(ctx, w, item)
		if err != nil {
			return nil, ref.Discreet(fmt.Errorf("merge into item %s: %w", ref.Slug, err))
		}
		change.Opener = p.copy.at.opener
		if err = p.replaceItem(ctx, ref, change); err == nil {
			return changes, nil
		}
		if !errors.Is(err, ErrConflict) {
			return nil, ref.Discreet(fmt.Errorf("write item %s: %w", ref.Slug, err))
		}
	}
	return nil, ref.Discreet(fmt.Errorf("write item %s: %w", ref.Slug, ErrConflict))
}

func (p *performer) readItem(ctx context.Context, ref ItemRef) (Item, error) {
	wire, cancel := p.copy.bounded(ctx, time.Now().Add(p.e.opt.PostTimeout), errPostTime)
	defer cancel()
	item, err := p.e.opt.Items.ReadItem(wire, ref)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return item, ref.Discreet(fmt.Errorf("read item %s: %w", ref.Slug, err))
	}
	return item, nil
}

func (p *performer) replaceItem(ctx context.Context, ref ItemRef, change ItemWrite) error {
	wire, cancel := p.copy.bounded(ctx, time.Now().Add(p.e.opt.PostTimeout), errPostTime)
	defer cancel()
	return p.e.opt.Items.WriteItem(wire, ref, change)
}

// merge merges beside the worker, which keeps the lease meanwhile: how long reading a
// document takes depends on the document. The worker ends only after the merge has, which
// asks between two readings whether it may go on.
func (p *performer) merge(ctx context.Context, w writing, item Item) (change ItemWrite, changes []thread.ArtifactChange, err error) {
	merging, cancel := context.WithTimeoutCause(ctx, mergeTime, errMergeTime)
	defer cancel()
	proceed := func() error { return context.Cause(merging) }
	done := make(chan struct{})
	p.e.wg.Go(func() {
		defer close(done)
		change, changes, err = w.merge(item, proceed)
	})
	if kept := p.copy.keepUntil(ctx, done); kept != nil {
		cancel()
		<-done
		return change, nil, kept
	}
	if err != nil && proceed() == nil {
		err = &refusal{err} // the item's doing
	}
	return change, changes, err
}

// merge makes the one change of an item that a discussion leaves behind: every
// output of the step takes the synthesis (FR-008), and meta.json takes the record
// (FR-009). If any of it cannot be done, none is: what is recorded was written
// (AC-NFR-003-02), and a broken meta.json is never overwritten.
func merge(item Item, e roundtable.WriteDocuments, d roundtable.Discussion, phases []string, proceed func() error) (ItemWrite, []thread.ArtifactChange, error) {
	w := ItemWrite{Version: item.Version, Key: d.ID, Files: make(map[string][]byte)}
	in := document.Insertion{
		Title: d.Step.Title, Keywords: append([]string{d.Topic}, d.Step.Sections...), StepID: d.Step.ID,
		Time: isoTime(e.Record.Timestamp), Body: e.Markdown,
		Proceed: proceed,
		Another: true, // what was written under our key is not merged again
	}
	lookup := func(name string) ([]byte, bool) {
		if text, ok := w.Files[name]; ok {
			return text, true // an output named twice, or the note beside another
		}
		text, ok := item.Files[name]
		return text, ok
	}
	changes := []thread.ArtifactChange{}
	for _, output := range e.Outputs {
		files, err := document.Enrich(lookup, output, in)
		if err != nil {
			return w, nil, err
		}
		for _, f := range files {
			w.Files[f.Name] = f.Content
			changes = append(changes, thread.ArtifactChange{
				File: f.Name, Section: f.Change.Heading, Added: roundtable.SayAdded(d.Outcome),
				Created: f.Change.Placement == document.NewDocument,
			})
		}
	}
	var err error
	if w.Meta, err = recorded(item, e, d, phases); err != nil {
		return w, nil, err
	}
	if w.Result, err = json.Marshal(changes); err != nil {
		return w, nil, fmt.Errorf("encode the changes: %w", err)
	}
	return w, changes, nil
}

// recorded is meta.json with the record. A discussion that ended before its
// framing has no turn and so no record: the schema knows none without (AC-009-01).
func recorded(item Item, e roundtable.WriteDocuments, d roundtable.Discussion, phases []string) ([]byte, error) {
	if e.Record.TurnCount < 1 {
		return nil, nil
	}
	meta, err := metaOf(item, document.Item{Slug: d.Item, CreatedAt: isoTime(d.Opened)}, phases)
	if err != nil {
		return nil, err
	}
	personas := make([]string, len(e.Record.Personas))
	for i, p := range e.Record.Personas {
		personas[i] = string(p)
	}
	err = meta.AppendAnotherElaboration(document.Record{
		StepID: e.Record.StepID, TurnCount: e.Record.TurnCount, PersonasActive: personas,
		Timestamp: isoTime(e.Record.Timestamp), SynthesisSummary: e.Record.Summary,
	})
	if err != nil {
		return nil, fmt.Errorf("record in meta.json: %w", err)
	}
	return meta.Bytes(), nil
}

// metaOf is an item's meta.json, or a fresh one, whose status follows from phases.
func metaOf(item Item, fresh document.Item, phases []string) (*document.Meta, error) {
	meta := document.NewMeta(fresh)
	if item.Meta != nil {
		var err error
		if meta, err = document.ParseMeta(item.Meta); err != nil {
			return nil, fmt.Errorf("read meta.json: %w", err)
		}
	}
	meta.Measure(phases)
	return meta, nil
}

// fillItem makes the change of an item that a step of an analysis leaves in the
// artifacts. If one of them cannot take it, none does.
func fillItem(item Item, e analysis.Write, proceed func() error) (ItemWrite, []thread.ArtifactChange, error) {
	w := ItemWrite{Version: item.Version, Key: e.Key, Files: make(map[string][]byte)}
	files, changes, err := analysis.Fill(func(name string) ([]byte, bool) {
		text, ok := item.Files[name]
		return text, ok
	}, e, proceed)
	if err != nil {
		return w, nil, err
	}
	for _, f := range files {
		w.Files[f.Name] = f.Content
	}
	if w.Result, err = json.Marshal(changes); err != nil {
		return w, nil, fmt.Errorf("encode the changes: %w", err)
	}
	return w, changes, nil
}

// linked gives the links to messages in the sections of a Write their addresses.
func linked(e analysis.Write, address func(ts string) string) analysis.Write {
	e.Parts = slices.Clone(e.Parts)
	for i, p := range e.Parts {
		if p.Part == analysis.PartSection {
			e.Parts[i].Content = thread.LinkMessages(p.Content, address)
		}
	}
	return e
}

// permalinks gives the addresses of messages in a place's thread.
func (e *Engine) permalinks(place thread.Place) func(ts string) string {
	return func(ts string) string { return e.opt.Permalink(place, ts) }
}

// recordStep makes the change of an item's meta.json that says what is done. A
// broken meta.json is never overwritten.
func recordStep(item Item, e analysis.Record, fresh document.Item, phases []string) (ItemWrite, []thread.ArtifactChange, error) {
	w := ItemWrite{Version: item.Version, Key: e.Key, Result: []byte("[]")}
	meta, err := metaOf(item, fresh, phases)
	if err != nil {
		return w, nil, err
	}
	if err := e.Apply(meta); err != nil {
		return w, nil, err
	}
	w.Meta = meta.Bytes()
	return w, nil, nil
}

func isoTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
