package bot_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Channels that Sam is not in: one that everybody may look at, and one that nobody else sees.
const (
	open   = "C0OPEN001"
	closed = "C0CLOSED1"
)

// besideSam is a workspace in which Priya is in every channel and Sam in the first only.
func besideSam() slacksim.Options {
	return slacksim.Options{
		People: []slacksim.Person{{ID: priya, Name: "priya", RealName: "Priya Nair"}, {ID: sam, Name: "sam", RealName: "Sam Okafor"}, {ID: "U0LENA001", Name: "lena", RealName: "Lena Vogt"}},
		Channels: []slacksim.Channel{
			{ID: product, Name: "product", Members: []string{priya, sam}}, {ID: open, Name: "open", Members: []string{priya}},
			{ID: closed, Name: "closed", Private: true, Members: []string{priya}},
		},
	}
}

// shown waits for the form that is shown to a person.
func (s *stage) shown(as string) (id any) {
	s.t.Helper()
	s.until("the form", func() bool {
		views, _ := s.state(as)["views"].([]any)
		if len(views) > 0 {
			id = views[0].(map[string]any)["id"]
		}
		return len(views) > 0
	})
	return id
}

// fromHome presses a button of the Home tab.
func (s *stage) fromHome(as, button string) {
	s.t.Helper()
	home, _ := s.state(as)["home"].(map[string]any)
	if home == nil {
		s.act("home", fields{"as": as, "tab": "home"})
	}
	s.until("the Home tab", func() bool {
		home, _ = s.state(as)["home"].(map[string]any)
		return home != nil
	})
	for _, raw := range home["blocks"].([]any) {
		block := raw.(map[string]any)
		elements, _ := block["elements"].([]any)
		for _, e := range elements {
			if e.(map[string]any)["action_id"] == button {
				s.act("act", fields{"as": as, "view_id": home["id"], "block_id": block["block_id"], "action_id": button})
				return
			}
		}
	}
	s.t.Fatalf("no button %s in %v", button, home)
}

// asked counts the calls of a method of Slack's.
func (s *stage) asked(method string) (n int) {
	for _, c := range s.ws.Calls() {
		if c.Method == method {
			n++
		}
	}
	return n
}

func wanted(channel string, invited ...string) fields {
	return fields{
		"topic":    fields{"topic": fields{"type": "plain_text_input", "value": "Everybody look"}},
		"lead":     fields{"lead": fields{"type": "static_select", "selected_option": option("business-analyst")}},
		"personas": fields{"personas": fields{"type": "multi_static_select", "selected_options": []any{option("business-analyst"), option("system-designer")}}},
		"turns":    fields{"turns": fields{"type": "plain_text_input", "value": "10"}},
		"channel":  fields{"channel": fields{"type": "conversations_select", "selected_conversation": channel}},
		"invite":   fields{"invite": fields{"type": "multi_users_select", "selected_users": invited}},
	}
}

// I12, FR-108: a form opens nothing in a channel that the person is not in, whichever
// channel their client says it was sent for.
func TestFormsOpenWhereOneIsIn_I12(t *testing.T) {
	s := set(t, besideSam(), nil, true)
	dm := "D" + priya[1:]
	s.act("say", fields{"as": priya, "channel": dm, "text": "help"})
	for name, channel := range map[string]string{"a public channel": open, "a private channel": closed, "another's direct message": dm} {
		t.Run(name, func(t *testing.T) {
			s.fromHome(sam, "rt_home_start")
			answer := s.act("submit", fields{"as": sam, "view_id": s.shown(sam), "values": wanted(channel)})
			if errs, _ := answer["errors"].(map[string]any); errs["channel"] != say.OpenInside() {
				t.Errorf("got %v, want a refusal beside the channel", answer)
			}
			s.act("close_view", fields{"as": sam, "view_id": s.shown(sam)})
		})
	}
	if got := s.inbox.all(); len(got) != 0 {
		t.Errorf("opened: %v", got)
	}
	s.fromHome(sam, "rt_home_start")
	s.act("submit", fields{"as": sam, "view_id": s.shown(sam), "values": wanted(product)})
	if _, e := await[roundtable.Opened](t, s.inbox); e.Place.Channel != product {
		t.Errorf("got %+v", e)
	}
}

// I12: the form of an analysis tells nobody what another channel analyses.
func TestAnalysesOfOtherChannelsAreNotTold_I12(t *testing.T) {
	s := set(t, besideSam(), nil, true)
	ref := engine.Ref{Team: team, Channel: closed, ID: thread.NewID(team, closed, "analysis:acquire-initech:0")}
	state, err := analysis.Encode(analysis.Analysis{
		ID: ref.ID, Item: "acquire-initech", ItemTitle: "Acquire Initech", State: analysis.StateMenu, Asked: "o:x",
		Place: thread.Place{Team: team, Channel: closed, Thread: "1700000000.000100"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.inbox.keep(ref, state)
	s.fromHome(sam, "rt_home_analyze")
	for _, item := range []string{"Acquire Initech", "Something else"} {
		answer := s.act("submit", fields{"as": sam, "view_id": s.shown(sam), "values": fields{
			"item":    fields{"item": fields{"type": "plain_text_input", "value": item}},
			"channel": fields{"channel": fields{"type": "conversations_select", "selected_conversation": closed}},
		}})
		if errs, _ := answer["errors"].(map[string]any); errs["item"] != say.OpenInside() {
			t.Errorf("%s: got %v, want the same refusal", item, answer)
		}
	}
	if got := s.inbox.asked(); len(got) != 0 {
		t.Errorf("asked for: %v", got)
	}
}

// I12: a discussion calls nobody into a channel that they are not in.
func TestOnlyMembersAreInvited_I12(t *testing.T) {
	s := set(t, besideSam(), nil, true)
	s.fromHome(priya, "rt_home_start")
	view := s.shown(priya)
	answer := s.act("submit", fields{"as": priya, "view_id": view, "values": wanted(product, sam, "U0LENA001")})
	if errs, _ := answer["errors"].(map[string]any); errs["invite"] != say.InviteMembers([]string{"Lena Vogt"}) {
		t.Errorf("got %v, want Lena named beside the field", answer)
	}
	s.act("submit", fields{"as": priya, "view_id": view, "values": wanted(product, sam)})
	_, e := await[roundtable.Opened](t, s.inbox)
	if diff := cmp.Diff([]string{sam}, e.Invited); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// pressable puts a message of ours with a button into a channel.
func (s *stage) pressable(channel string, kind thread.ButtonKind) (press func(as string)) {
	s.t.Helper()
	place := thread.Place{Team: team, Channel: channel}
	ts, err := s.bot.Workplace().Post(s.t.Context(), engine.Posting{Place: place, Key: "DTEST/root", Message: thread.Message{
		Kind: thread.KindRoot, Text: "ELABORATION MODE", Buttons: []thread.Button{{Kind: kind, Label: "Press"}},
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.inbox.open(engine.Ref{Team: team, Channel: channel, ID: "DTEST"}, ts)
	return func(as string) {
		s.t.Helper()
		for _, m := range s.ws.Messages(channel) {
			for _, block := range m.Blocks {
				if b, _ := block.(map[string]any); b["type"] == "actions" {
					id := b["elements"].([]any)[0].(map[string]any)["action_id"]
					s.act("act", fields{"as": as, "channel": channel, "message_ts": m.TS, "block_id": b["block_id"], "action_id": id})
				}
			}
		}
	}
}

// I12, FR-108: who looks at a public channel from outside sees its buttons and presses
// nothing, reads nothing, and is told why; clicks of such a person cost no more than a few
// questions to Slack, however many they are.
func TestButtonsAreForMembers_I12(t *testing.T) {
	for _, kind := range []thread.ButtonKind{roundtable.ButtonWrapUp, roundtable.ButtonCatchUp} {
		t.Run(string(kind), func(t *testing.T) {
			s := set(t, besideSam(), nil, true)
			press := s.pressable(open, kind)
			s.refused(sam, say.PressInside(), func() { press(sam) })
			before := s.asked("conversations.members")
			for range 50 {
				press(sam)
			}
			s.until("fifty more answers", func() bool { return len(s.private(sam)) == 51 })
			if n := s.asked("conversations.members") - before; n > 10 {
				t.Errorf("50 clicks cost %d questions", n)
			}
			if got := s.inbox.all(); len(got) != 0 {
				t.Errorf("pressed: %v", got)
			}
			if kind == roundtable.ButtonWrapUp {
				press(priya)
				await[roundtable.Pressed](t, s.inbox)
			}
		})
	}
}

// I12: what Slack does not answer is refused with a sentence.
func TestMembershipIsNeverAssumed_I12(t *testing.T) {
	s := set(t, besideSam(), nil, true)
	press := s.pressable(product, roundtable.ButtonWrapUp)
	s.ws.Arm(slacksim.Fault{Method: "conversations.members", Error: "internal_error", Count: 100})
	s.refused(priya, say.CannotCheck(), func() { press(priya) })
	s.refused(priya, say.CannotCheck(), func() { s.command(priya, product, "Everybody look") })
	if got := s.inbox.all(); len(got) != 0 {
		t.Errorf("taken: %v", got)
	}
	s.ws.Disarm()
	press(priya)
	await[roundtable.Pressed](t, s.inbox)
}

// I12: a message's shortcut, too, is for those who are in its channel.
func TestShortcutIsForMembers_I12(t *testing.T) {
	s := set(t, besideSam(), nil, true)
	ts := fmt.Sprint(s.act("say", fields{"as": priya, "channel": open, "text": "Search is slow"})["ts"])
	s.refused(sam, say.OpenInside(), func() {
		s.act("shortcut", fields{"as": sam, "callback_id": bot.ShortcutDiscuss, "channel": open, "ts": ts})
	})
	if views, _ := s.state(sam)["views"].([]any); len(views) != 0 {
		t.Errorf("shown: %v", views)
	}
}

// TestMembersOfLargeChannels shows that in a channel of many thousands the person is asked
// about, so that a check costs a handful of calls, and that members are let in there.
func TestMembersOfLargeChannels(t *testing.T) {
	sim := besideSam()
	var crowd []string
	for i := range 9_000 {
		crowd = append(crowd, fmt.Sprintf("U1CROWD%04d", i))
	}
	sim.Channels[1].Members = append(crowd, priya)
	s := set(t, sim, nil, true)
	press := s.pressable(open, roundtable.ButtonWrapUp)
	press(priya)
	await[roundtable.Pressed](t, s.inbox)
	s.refused(sam, say.PressInside(), func() { press(sam) })
	if members, joined := s.asked("conversations.members"), s.asked("users.conversations"); members > 10 || joined != 2 {
		t.Errorf("two checks cost %d and %d calls", members, joined)
	}
}

// TestChannelSelectsOfferChannels shows what the forms offer: no direct messages of one's
// own, which are refused, and no channels of others, unless those are allowed.
func TestChannelSelectsOfferChannels(t *testing.T) {
	for _, shared := range []bool{false, true} {
		s := set(t, besideSam(), func(o *bot.Options) { o.Policy.AllowShared = shared }, true)
		for _, button := range []string{"rt_home_start", "rt_home_analyze"} {
			s.fromHome(sam, button)
			id := s.shown(sam)
			form := fmt.Sprint(s.state(sam)["views"])
			if !strings.Contains(form, "include:[public private mpim]") || strings.Contains(form, "exclude_external_shared_channels:true") == shared {
				t.Errorf("shared %v: %s shows %s", shared, button, form)
			}
			s.act("close_view", fields{"as": sam, "view_id": id})
		}
	}
}

// I12: a button leads into no other channel's discussion, whatever its value says.
func TestButtonValuesLeadNowhereElse_I12(t *testing.T) {
	s := set(t, besideSam(), nil, true)
	s.inbox.open(engine.Ref{Team: team, Channel: closed, ID: "DSECRET"}, "1700000000.000100")
	for i, value := range []string{"DSECRET", "{DSECRET}", closed + ":DSECRET", ".."} {
		_, err := s.bot.Workplace().Post(s.t.Context(), engine.Posting{Place: thread.Place{Team: team, Channel: product}, Key: value + "/root", Message: thread.Message{
			Kind: thread.KindRoot, Text: "ELABORATION MODE", Buttons: []thread.Button{{Kind: roundtable.ButtonCatchUp, Label: "Catch me up"}, {Kind: roundtable.ButtonWrapUp, Label: "Wrap up"}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		posts := s.ws.Messages(product)
		last := posts[len(posts)-1]
		for _, raw := range last.Blocks {
			block, _ := raw.(map[string]any)
			elements, _ := block["elements"].([]any)
			for _, e := range elements {
				if button, _ := e.(map[string]any); button["action_id"] != nil {
					s.refused(sam, say.Gone(), func() {
						s.act("act", fields{"as": sam, "channel": product, "message_ts": last.TS, "block_id": block["block_id"], "action_id": button["action_id"]})
					})
				}
			}
		}
		if n := len(s.private(sam)); n != 2*(i+1) {
			t.Errorf("%s: %d answers, want %d", value, n, 2*(i+1))
		}
	}
	if got := s.inbox.all(); len(got) != 0 {
		t.Errorf("pressed: %v", got)
	}
}

// NFR-103: the answer to a command is drawn with the care of a post: an address in it
// leads only where people pointed in that place.
func TestAnswersToCommandsLeadNowhere(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	s.command(priya, product, "Read https://evil.example/x today <!channel>")
	s.told(priya, "Read https://evil[.]example/x today &lt;!channel&gt;")
}
