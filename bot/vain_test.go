package bot_test

import (
	"testing"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/say"
)

// I10: whoever calls the app in a thread that takes nothing more is told so, in private and
// once, with what they can do. What people say there to each other is theirs.
func TestCalledInVainIsSaid_I10(t *testing.T) {
	for name, tt := range map[string]struct {
		close func(*inbox, engine.Ref)
		want  string
	}{
		"closed": {func(b *inbox, ref engine.Ref) { b.closed[ref] = true }, say.Ended()},
		"hidden": {func(b *inbox, ref engine.Ref) { b.hidden[ref] = true }, forgetting.SayOutOfSight()},
	} {
		t.Run(name, func(t *testing.T) {
			s := set(t, slacksim.Options{}, nil, true)
			ref, place := s.seated()
			s.say(priya, place.Thread, "@Roundtable what do you think?")
			await[roundtable.Said](t, s.inbox)
			s.inbox.mu.Lock()
			tt.close(s.inbox, ref)
			s.inbox.mu.Unlock()
			s.say(priya, place.Thread, "Nobody is asked here")
			s.refused(priya, tt.want, func() { s.say(priya, place.Thread, "So, @Roundtable, and now?") })
			s.refused(priya, tt.want, func() { s.say(priya, place.Thread, "@Roundtable hello?") })
			s.say(sam, place.Thread, "Leave it, Priya")
			s.refused(sam, tt.want, func() { s.say(sam, place.Thread, "@Roundtable?") })
			if got := s.private(priya); len(got) != 2 {
				t.Errorf("Priya called twice and was told %q", got)
			}
			if n := len(s.inbox.all()); n != 1 {
				t.Errorf("%d inputs, want the one from before", n)
			}
		})
	}
}
