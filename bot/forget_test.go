package bot_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/thread"
)

const gusGuest = "U0GUEST01"

// scribe keeps what is to be recorded.
type scribe struct {
	mu   sync.Mutex
	acts []engine.Act
}

func (s *scribe) NoteAct(_ context.Context, a engine.Act) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acts = append(s.acts, a)
	return nil
}

// lines are the acts, each with who did it and what it says besides.
func (s *scribe) lines() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.acts {
		all = append(all, strings.Join([]string{string(a.Kind), a.By, string(a.Detail), a.Item}, " "))
	}
	return all
}

// archive holds items by name.
type archive map[string]engine.Item

func (a archive) ReadItem(_ context.Context, ref engine.ItemRef) (engine.Item, error) {
	return a[ref.Slug], nil
}

func (a archive) ListItems(_ context.Context, _, channel string) (slugs []string, err error) {
	for slug, item := range a {
		if channel == product && !item.Hidden {
			slugs = append(slugs, slug)
		}
	}
	slices.Sort(slugs)
	return slugs, nil
}

// forgetful is a workspace with three members' worth of rights, and an item that Priya opened.
func forgetful(t *testing.T, change func(*bot.Options)) (*stage, *scribe) {
	t.Helper()
	acts := &scribe{}
	people := []slacksim.Person{
		{ID: priya, Name: "priya", RealName: "Priya Nair"}, {ID: sam, Name: "sam", RealName: "Sam Ortiz"},
		{ID: gusGuest, Name: "gus", RealName: "Gus Guest", IsRestricted: true},
	}
	s := set(t, slacksim.Options{People: people}, func(o *bot.Options) {
		o.Acts, o.Items = acts, archive{
			"sso-rollout": {Version: 1, Openers: []string{priya}, Files: map[string][]byte{"notes.md": []byte("n")}},
			"older":       {Version: 1, Applied: map[string][]byte{"DTEST": nil, "DGONE": nil}},
			"nobodys":     {Version: 1},
			"hidden":      {Version: 1, Hidden: true},
		}
		if change != nil {
			change(o)
		}
	}, true)
	return s, acts
}

func (s *stage) forgettings() []forgetting.Input {
	s.inbox.mu.Lock()
	defer s.inbox.mu.Unlock()
	return slices.Clone(s.inbox.forgettings)
}

// ends makes the discussion DTEST one that Sam opened and that has ended.
func (s *stage) ends(ref engine.Ref, place thread.Place, state roundtable.State) {
	s.t.Helper()
	b, err := roundtable.Encode(roundtable.Discussion{
		ID: ref.ID, Place: place, Topic: "Keys", Item: "sso-rollout", Opener: thread.Person{ID: sam}, Cast: testRoster().Seats(), State: state,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.inbox.keep(ref, b)
}

// TestForgetIsARightOfItsOwn has a member who never took part, and a guest, try to destroy
// what others opened: it is refused, and the refusal recorded. Who opened it may; it then is
// a forgetting's, which tells the channel (FR-110).
func TestForgetIsARightOfItsOwn(t *testing.T) {
	s, acts := forgetful(t, func(o *bot.Options) { o.Policy.AllowGuests = true })
	ref, place := s.seated()
	s.ends(ref, place, roundtable.StateClosed)
	for _, c := range []struct{ as, text, want string }{
		{sam, "forget sso-rollout for good", "Only somebody who opened"},
		{sam, "forget sso-rollout", "Only somebody who opened"},
		{gusGuest, "forget sso-rollout for good", "full members"},
		{priya, "forget nobodys for good", "Only somebody who opened"},
		{priya, "forget older for good", "Only somebody who opened"},
		{priya, "forget hidden for good", "no item “hidden”"},
	} {
		s.refused(c.as, c.want, func() { s.command(c.as, product, c.text) })
	}
	if got := s.forgettings(); len(got) != 0 {
		t.Fatalf("something is forgotten: %+v", got)
	}
	mark := thread.ItemMark("sso-rollout")
	want := []string{
		"refused " + sam + " forget " + mark, "refused " + sam + " forget " + mark, "refused " + gusGuest + " forget " + mark,
		"refused " + priya + " forget " + thread.ItemMark("nobodys"), "refused " + priya + " forget " + thread.ItemMark("older"),
	}
	if diff := cmp.Diff(want, acts.lines()); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}

	s.refused(priya, "for seven days", func() { s.command(priya, product, "forget sso-rollout") })
	if got := s.forgettings(); len(got) != 0 {
		t.Fatalf("it is forgotten unconfirmed: %+v", got)
	}
	s.refused(priya, "The channel is told", func() { s.command(priya, product, "forget SSO rollout for good") })
	s.refused(sam, "older goes out of sight now", func() { s.command(sam, product, "forget older for good") }) // by the discussion that is still stored
	got := s.forgettings()
	if len(got) != 2 {
		t.Fatalf("%d forgettings, want 2", len(got))
	}
	if e, ok := got[0].Event.(forgetting.Opened); !ok || e.Target.Item != "sso-rollout" || e.By.ID != priya || e.By.Name == "" || e.Place.Channel != product {
		t.Errorf("the forgetting is %+v", got[0])
	}
	if strings.Contains(s.logs.String(), "item=sso-rollout") || !strings.Contains(s.logs.String(), "item="+mark) {
		t.Errorf("the log does not call the item by its mark:\n%s", s.logs.String())
	}
}

// TestForgetByPolicy shows the other values of the right.
func TestForgetByPolicy(t *testing.T) {
	for right, want := range map[bot.ForgetRight]string{bot.ForgetEverybody: "goes out of sight now", bot.ForgetNobody: "Only whoever runs Roundtable"} {
		t.Run(string(right), func(t *testing.T) {
			s, _ := forgetful(t, func(o *bot.Options) { o.Policy.Forget = right })
			s.refused(sam, want, func() { s.command(sam, product, "forget sso-rollout for good") })
			s.refused(gusGuest, "full members", func() { s.command(gusGuest, product, "forget sso-rollout for good") })
		})
	}
}

// TestForgetAThread shows the same of one discussion, named by the address of a message in
// its thread.
func TestForgetAThread(t *testing.T) {
	s, _ := forgetful(t, nil)
	ref, place := s.seated()
	root := s.url + "/archives/" + product + "/p" + strings.Replace(place.Thread, ".", "", 1)
	reply := s.url + "/archives/" + product + "/p1795250860817602?thread_ts=" + place.Thread + "&cid=" + product
	s.ends(ref, place, roundtable.StateDiscussionLoop)
	refuse := func(as, text, want string) {
		t.Helper()
		s.refused(as, want, func() { s.command(as, product, text) })
	}
	refuse(sam, "forget "+root+" for good", "still being discussed (“Keys”)")
	s.ends(ref, place, roundtable.StateClosed)
	refuse(sam, "forget "+s.url+"/archives/"+product+"/p1795250860817602", "keeps nothing of that thread")
	refuse(sam, "forget "+strings.Replace(root, product, "C0NOWHERE", 1), "Only members of this channel")
	refuse(priya, "forget "+reply+" for good", "Only somebody who opened")
	refuse(sam, "forget "+reply, "the link once more, and: for good")
	if got := s.forgettings(); len(got) != 0 {
		t.Fatalf("something is forgotten: %+v", got)
	}
	refuse(sam, "forget "+reply+" for good", "“Keys” goes out of sight now")
	want := forgetting.Target{Item: "sso-rollout", Discussion: ref.ID, Thread: place.Thread, Title: "Keys"}
	if got := s.forgettings(); len(got) != 1 || got[0].Event.(forgetting.Opened).Target != want {
		t.Errorf("forgotten is %+v, want %+v", got, want)
	}
}

// TestForgetWaitsForTheEnd keeps an item while it is being discussed (FR-110).
func TestForgetWaitsForTheEnd(t *testing.T) {
	s, _ := forgetful(t, nil)
	ref, place := s.seated()
	s.ends(ref, place, roundtable.StateDiscussionLoop)
	s.refused(priya, "still being discussed", func() { s.command(priya, product, "forget sso-rollout for good") })
	s.refused(priya, "no item “Offline mode”", func() { s.command(priya, product, "forget Offline mode") })
	s.refused(priya, "Which item?", func() { s.command(priya, product, "forget") })
	if got := s.forgettings(); len(got) != 0 {
		t.Errorf("something is forgotten: %+v", got)
	}
}

// pending posts the notice of a forgetting and makes it stand.
func (s *stage) pending() engine.Ref {
	s.t.Helper()
	ref := engine.Ref{Team: team, Channel: product, ID: "FTEST"}
	f := forgetting.Forgetting{
		ID: ref.ID, Place: thread.Place{Team: team, Channel: product}, State: forgetting.StateHidden, Target: forgetting.Target{Item: "hidden"},
		By: thread.Person{ID: priya, Name: "Priya Nair"}, Documents: 2, Until: time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC),
	}
	ts, err := s.bot.Workplace().Post(s.t.Context(), engine.Posting{Place: f.Place, Key: "FTEST/root", Message: forgetting.Root(f)})
	if err != nil {
		s.t.Fatal(err)
	}
	f.Place.Thread, f.Place.Root = ts, ts
	b, err := forgetting.Encode(f)
	if err != nil {
		s.t.Fatal(err)
	}
	s.inbox.open(ref, ts)
	s.inbox.keep(ref, b)
	return ref
}

// TestKeepIt takes back what is to be forgotten: by the button, by a command, and by a
// mention below the notice. Any full member may, and no guest (FR-110).
func TestKeepIt(t *testing.T) {
	s, acts := forgetful(t, func(o *bot.Options) { o.Policy.AllowGuests = true })
	s.refused(sam, "Nothing in this channel is waiting", func() { s.command(sam, product, "keep hidden") })
	s.pending()
	notice := s.ws.Messages(product)[0]
	s.refused(sam, "• hidden, until 29 November 2026", func() { s.command(sam, product, "keep other") })
	s.refused(gusGuest, "full members", func() { s.command(gusGuest, product, "keep hidden") })
	s.refused(gusGuest, "full members", func() { s.press(gusGuest, "rt:keep") })
	s.refused(sam, "out of sight already", func() { s.command(sam, product, "forget hidden for good") })
	if got := s.forgettings(); len(got) != 0 {
		t.Fatalf("it was taken back: %+v", got)
	}
	s.refused(sam, "Bringing hidden back", func() { s.command(sam, product, "keep hidden") })
	s.refused(sam, "Bringing hidden back", func() { s.say(sam, notice.TS, "@Roundtable keep it") })
	s.press(sam, "rt:keep")
	s.until("the click", func() bool { return len(s.forgettings()) == 3 })
	for i, in := range s.forgettings() {
		switch e := in.Event.(type) {
		case forgetting.Kept:
			if e.By.ID != sam || e.By.Name != "Sam Ortiz" {
				t.Errorf("wish %d is %+v's", i, e.By)
			}
		case forgetting.Pressed:
			if e.Button != forgetting.ButtonKeep || e.By.ID != sam {
				t.Errorf("the click is %+v", e)
			}
		case forgetting.Opened, forgetting.Hidden, forgetting.Barred, forgetting.Restored, forgetting.Removed, forgetting.Said, forgetting.Edited,
			forgetting.Deleted, forgetting.Reacted, forgetting.TimerFired, forgetting.Posted, forgetting.Failed, forgetting.Parked, forgetting.Identified:
			t.Errorf("%T came", in.Event)
		}
	}
	if got := acts.lines(); len(got) != 2 || got[0] != "refused "+gusGuest+" keep " {
		t.Errorf("recorded: %q", got)
	}
}

// TestForgottenNameIsFree opens a discussion of a topic whose item is out of sight: it gets a
// name of its own, so that neither is in the way of the other.
func TestForgottenNameIsFree(t *testing.T) {
	s, _ := forgetful(t, nil)
	s.command(priya, product, "Hidden")
	_, e := await[roundtable.Opened](t, s.inbox)
	if e.Item != "hidden-2" {
		t.Errorf("the item is %q, want hidden-2", e.Item)
	}
}

// TestExportIsRecorded: an export stands in the audit record by the item's mark.
func TestExportIsRecorded(t *testing.T) {
	s, acts := forgetful(t, nil)
	s.refused(priya, "sso-rollout", func() { s.command(priya, product, "export sso-rollout") })
	if diff := cmp.Diff([]string{"exported " + priya + " item " + thread.ItemMark("sso-rollout")}, acts.lines()); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
	s.refused(priya, "no item “hidden”", func() { s.command(priya, product, "export hidden") })
	s.refused(priya, "sso-rollout", func() { s.command(priya, product, "show hidden") })
}
