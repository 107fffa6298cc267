package storage_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/roundtable-chat/app/roundtable/engine"
)

func (p *pair) read() {
	ref := p.ref()
	state1, log1, err1 := p.store.Read(p.ctx, ref)
	state2, log2, err2 := p.model.Read(p.ctx, ref)
	p.same("read's failure", kind(err1), kind(err2))
	p.same("state", string(state1), string(state2))
	p.same("log", fmt.Sprintf("%q", log1), fmt.Sprintf("%q", log2))

	asked := []engine.Ref{ref, p.ref()}
	states1, err := p.store.States(p.ctx, asked)
	if err != nil {
		p.Fatal(err)
	}
	states2, _ := p.model.States(p.ctx, asked)
	p.same("states", fmt.Sprintf("%q", states1), fmt.Sprintf("%q", states2))

	thread := fmt.Sprintf("thread %d", p.rand.IntN(5))
	ref1, ok1, err := p.store.FindThread(p.ctx, "T", ref.Channel, thread)
	if err != nil {
		p.Fatal(err)
	}
	ref2, ok2, _ := p.model.FindThread(p.ctx, "T", ref.Channel, thread)
	p.same("thread", fmt.Sprint(ref1, ok1), fmt.Sprint(ref2, ok2))

	ts := p.ts()
	message1, err := p.store.FindMessage(p.ctx, "T", ref.Channel, ts)
	if err != nil {
		p.Fatal(err)
	}
	message2, _ := p.model.FindMessage(p.ctx, "T", ref.Channel, ts)
	if message1.Known && message2.Known {
		// Ids are few here, so that several discussions may know of one.
		message1.Ref, message2.Ref = engine.Ref{}, engine.Ref{}
	}
	p.same("message known", message1, message2, cmpopts.SortSlices(byID))

	list1, err := p.store.List(p.ctx, "T", ref.Channel, 1000)
	if err != nil {
		p.Fatal(err)
	}
	list2, _ := p.model.List(p.ctx, "T", ref.Channel, 1000)
	p.same("listing", names(list1), names(list2))

	due1, err := p.store.Due(p.ctx, 1000)
	if err != nil {
		p.Fatal(err)
	}
	due2, _ := p.model.Due(p.ctx, 1000)
	p.same("due", refs(due1), refs(due2))
}

func byID(a, b engine.Ref) bool { return a.ID < b.ID }

func names(list []engine.Listed) []string {
	var out []string
	for _, l := range list {
		out = append(out, l.Ref.ID+": "+string(l.State))
	}
	slices.Sort(out)
	return out
}

func refs(list []engine.Ref) []string {
	var out []string
	for _, r := range list {
		out = append(out, r.ID)
	}
	slices.Sort(out)
	return out
}

func (p *pair) replay() {
	letters1, err := p.store.DeadLetters(p.ctx, 1000)
	if err != nil {
		p.Fatal(err)
	}
	letters2, _ := p.model.DeadLetters(p.ctx, 1000)
	text := func(l engine.DeadLetter) string { return l.Ref.ID + " " + l.Mail.ID + " " + l.Reason }
	order := func(a, b engine.DeadLetter) int { return strings.Compare(text(a), text(b)) }
	slices.SortStableFunc(letters1, order)
	slices.SortStableFunc(letters2, order)
	var texts1, texts2 []string
	for i := range letters1 {
		texts1 = append(texts1, text(letters1[i]))
	}
	for i := range letters2 {
		texts2 = append(texts2, text(letters2[i]))
	}
	p.same("letters", texts1, texts2)
	if len(letters1) > 0 {
		i := p.rand.IntN(len(letters1))
		p.same("replay", kind(p.store.Replay(p.ctx, letters1[i].ID)), kind(p.model.Replay(p.ctx, letters2[i].ID)))
	}
}

func (p *pair) item() {
	ref := engine.ItemRef{Team: "T", Channel: "C", Slug: fmt.Sprintf("item%d", p.rand.IntN(2))}
	item1, err := p.store.ReadItem(p.ctx, ref)
	if err != nil {
		p.Fatal(err)
	}
	item2, _ := p.model.ReadItem(p.ctx, ref)
	p.same("item", item1, item2)
	w := engine.ItemWrite{Version: item1.Version - int64(p.rand.IntN(4)/3), Files: map[string][]byte{
		fmt.Sprintf("f%d", p.rand.IntN(3)): fmt.Appendf(nil, "step %d", p.step)}}
	if p.rand.IntN(2) == 0 {
		w.Key, w.Result = fmt.Sprintf("k%d", p.rand.IntN(50)), []byte("result")
	}
	p.same("write", kind(p.store.WriteItem(p.ctx, ref, w)), kind(p.model.WriteItem(p.ctx, ref, w)))
}
