package bot_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestWishesOfUnknownPeopleAreKept_I1 has people forget and take back while Slack does not say
// who they are: what they want is handed to the rules, as somebody unknown's, and they are told
// that it is kept. They are told nothing of what there is and who opened it, and whatever a
// policy grants to guests is granted to nobody here. The audit record says that they were
// unknown, and neither that they were refused nor that they may (FR-108, FR-111).
func TestWishesOfUnknownPeopleAreKept_I1(t *testing.T) {
	for name, lenient := range map[string]bool{"by default": false, "where guests and others may do what members may": true} {
		t.Run(name, func(t *testing.T) {
			var silent atomic.Bool
			sim := slacksim.Options{
				People: []slacksim.Person{
					{ID: priya, Name: "priya", RealName: "Priya Nair"}, {ID: sam, Name: "sam", RealName: "Sam Ortiz"},
					{ID: gusGuest, Name: "gus", RealName: "Gus Guest", IsRestricted: true},
				},
				Before: func(method string, _ map[string]string) slacksim.Verdict {
					if method == "users.info" && silent.Load() {
						return slacksim.Verdict{Status: http.StatusTooManyRequests, RetryAfter: time.Second}
					}
					return slacksim.Verdict{}
				},
			}
			acts := &scribe{}
			s := set(t, sim, func(o *bot.Options) {
				o.Acts, o.Items = acts, archive{"sso-rollout": {Version: 1, Openers: []string{priya, gusGuest}}, "nobodys": {Version: 1}, "hidden": {Version: 1, Hidden: true}}
				o.Policy.AllowGuests, o.Policy.AllowShared = lenient, lenient
			}, true)
			s.pending()
			ref, place := s.seated()
			s.ends(ref, place, roundtable.StateClosed)
			link := s.url + "/archives/" + product + "/p" + strings.Replace(place.Thread, ".", "", 1)
			silent.Store(true)
			kept, unknown := thread.SayActKept(), thread.SayPersonUnknown()
			s.refused(sam, kept, func() { s.command(sam, product, "keep hidden") })
			s.refused(sam, unknown, func() { s.command(sam, product, "keep other") })
			s.refused(sam, unknown, func() { s.command(sam, product, "forget other") })
			s.refused(sam, unknown, func() { s.command(sam, product, "forget hidden for good") })
			s.refused(sam, unknown, func() { s.command(sam, product, "forget nobodys for good") })
			s.refused(priya, unknown, func() { s.command(priya, product, "forget sso-rollout") })
			s.refused(priya, unknown, func() { s.command(priya, product, "forget "+link) })
			s.refused(sam, unknown, func() { s.command(sam, product, "forget "+link) })
			s.refused(priya, kept, func() { s.command(priya, product, "forget sso-rollout for good") })
			s.refused(gusGuest, kept, func() { s.command(gusGuest, product, "forget sso-rollout for good") })
			s.press(gusGuest, "rt:keep")
			s.until("the click", func() bool { return len(s.forgettings()) == 4 })
			var got []string
			for _, in := range s.forgettings() {
				switch e := in.Event.(type) {
				case forgetting.Kept:
					got = append(got, "keep "+e.By.ID+" "+string(e.By.Is()))
				case forgetting.Opened:
					got = append(got, "forget "+e.By.ID+" "+string(e.By.Is()))
				case forgetting.Pressed:
					got = append(got, "press "+e.By.ID+" "+string(e.By.Is()))
				case forgetting.Hidden, forgetting.Barred, forgetting.Restored, forgetting.Removed, forgetting.Said, forgetting.Edited, forgetting.Deleted,
					forgetting.Reacted, forgetting.TimerFired, forgetting.Posted, forgetting.Failed, forgetting.Parked, forgetting.Identified:
					t.Errorf("%T came", in.Event)
				}
			}
			want := []string{"keep " + sam + " unknown", "forget " + priya + " unknown", "forget " + gusGuest + " unknown", "press " + gusGuest + " unknown"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what came (-want +got):\n%s", diff)
			}
			mark := thread.ItemMark("sso-rollout")
			recorded := []string{
				"unknown " + sam + " forget " + thread.ItemMark("nobodys"), "unknown " + priya + " forget " + mark, "unknown " + priya + " forget " + mark,
				"unknown " + sam + " forget " + mark, "unknown " + priya + " forget " + mark, "unknown " + gusGuest + " forget " + mark,
			}
			if diff := cmp.Diff(recorded, acts.lines()); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
			silent.Store(false)
			for who, want := range map[string]thread.Standing{priya: thread.StandingMember, gusGuest: thread.StandingGuest} {
				s.until("Slack says who "+who+" is", func() bool {
					p, err := s.bot.Workplace().Identify(t.Context(), who, true)
					return err == nil && p.Is() == want
				})
			}
		})
	}
}
