package bot

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"

	"github.com/roundtable-chat/app/roundtable"
)

var me = self{team: "T1", user: "UBOT", bot: "BBOT"}

// recorded reads what Slack really sent.
func recorded(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	b, err := os.ReadFile("testdata/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func parse(t testing.TB, body []byte) slackevents.EventsAPIEvent {
	t.Helper()
	readMessages()
	e, err := slackevents.ParseEvent(body, slackevents.OptionNoVerifyToken())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestDecodeRecorded(t *testing.T) {
	all := recorded(t)
	fake := self{team: "T00FAKE00AA", user: "U00FAKEBOT01", bot: "B00FAKEBOT01"}
	for _, c := range []struct {
		name string
		me   self
		skip skipReason
		want happening
	}{
		{name: "bot_message_reply", skip: skipOwn},
		{name: "user_message", skip: skipOutside},
		{name: "user_app_home_opened", skip: skipKind},
		{name: "user_message_message_changed", skip: skipOwn},
		{name: "user_message_reply", want: happening{
			Channel: "C00FAKECHAN1", Thread: "1766458026.240809", Message: "1766458031.859009", User: "U00FAKEUSER1",
			Input: roundtable.Input{ID: "m:1766458031.859009", At: moment("1766458031.859009")},
		}},
		{name: "user_app_mention", want: happening{Channel: "C00FAKECHAN1", Message: "1766458026.240809", User: "U00FAKEUSER1", Mention: true}},
		{name: "im_message", me: self{team: "T0ADGE2G4EM", user: "U0BOT", bot: "B0BOT"}, want: happening{
			Channel: "D0ACX51K95H", Message: "1771442483.260129", User: "U0ADXQT6CRW", Mention: true, Direct: true,
			Input: roundtable.Input{ID: "m:1771442483.260129", At: moment("1771442483.260129")},
		}},
		{name: "reaction_added", skip: skipNoMark},
	} {
		t.Run(c.name, func(t *testing.T) {
			who := fake
			if c.me.team != "" {
				who = c.me
			}
			body, ok := all[c.name]
			if !ok {
				t.Fatal("not recorded")
			}
			got := decodeEvent(parse(t, body), who)
			if got.Skip != c.skip {
				t.Fatalf("skip: got %q, want %q", got.Skip, c.skip)
			}
			if c.skip != "" {
				return
			}
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(happening{}, "Also", "Text"), cmpopts.IgnoreFields(roundtable.Input{}, "Event")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(got.Also) == 0 {
				t.Error("the event id is not among the identities (I2)")
			}
		})
	}
}

// messageWith is an inner message event with some fields.
func messageWith(t *testing.T, fields string) happening {
	t.Helper()
	body := `{"type":"event_callback","team_id":"T1","event_id":"Ev1","event":{"type":"message","channel":"C1","channel_type":"channel",` + fields + `}}`
	return decodeEvent(parse(t, []byte(body)), me)
}

func TestSubtypes(t *testing.T) {
	for _, c := range []struct {
		name, fields string
		want         skipReason
	}{
		{"plain reply", `"user":"U1","text":"x","ts":"2.000001","thread_ts":"1.000001"`, ""},
		{"file_share", `"subtype":"file_share","user":"U1","text":"","files":[{"id":"F1","name":"plan.pdf"}],"ts":"2.000001","thread_ts":"1.000001"`, ""},
		{"me_message", `"subtype":"me_message","user":"U1","text":"agrees","ts":"2.000001","thread_ts":"1.000001"`, ""},
		{"thread_broadcast once", `"subtype":"thread_broadcast","user":"U1","text":"x","ts":"2.000001","thread_ts":"1.000001","root":{"ts":"1.000001","bot_id":"BBOT"}`, ""},
		{"outside of threads", `"user":"U1","text":"x","ts":"2.000001"`, skipOutside},
		{"first of a thread", `"user":"U1","text":"x","ts":"1.000001","thread_ts":"1.000001"`, skipOutside},
		{"own post under a name", `"subtype":"bot_message","bot_id":"BBOT","username":"Maya","text":"x","ts":"2.000001","thread_ts":"1.000001"`, skipOwn},
		{"own post as the app", `"user":"UBOT","bot_id":"BBOT","text":"x","ts":"2.000001","thread_ts":"1.000001"`, skipOwn},
		{"own user without bot id", `"user":"UBOT","text":"x","ts":"2.000001","thread_ts":"1.000001"`, skipOwn},
		{"another bot", `"subtype":"bot_message","bot_id":"BOTHER","text":"x","ts":"2.000001","thread_ts":"1.000001"`, skipBot},
		{"another bot with a user", `"user":"U9","bot_id":"BOTHER","text":"x","ts":"2.000001","thread_ts":"1.000001"`, skipBot},
		{"Slackbot", `"user":"USLACKBOT","text":"x","ts":"2.000001","thread_ts":"1.000001"`, skipBot},
		{"Slack itself", `"user":"USLACK","text":"x","ts":"2.000001","thread_ts":"1.000001"`, skipBot},
		{"channel_join", `"subtype":"channel_join","user":"U1","text":"joined","ts":"2.000001"`, skipSubtype},
		{"channel_topic", `"subtype":"channel_topic","user":"U1","text":"x","ts":"2.000001","thread_ts":"1.000001"`, skipSubtype},
		{"message_replied", `"subtype":"message_replied","ts":"2.000001"`, skipSubtype},
		{"tombstone", `"subtype":"tombstone","user":"USLACKBOT","ts":"2.000001"`, skipSubtype},
		{"huddle_thread", `"subtype":"huddle_thread","user":"U1","ts":"2.000001","thread_ts":"1.000001"`, skipSubtype},
		{"a subtype of tomorrow", `"subtype":"telepathy","user":"U1","text":"x","ts":"2.000001","thread_ts":"1.000001"`, skipSubtype},
		{"edit", `"subtype":"message_changed","ts":"3.000001","event_ts":"3.000001","message":{"user":"U1","text":"new","ts":"2.000001","thread_ts":"1.000001","edited":{"user":"U1","ts":"3.000000"}},"previous_message":{"user":"U1","text":"old","ts":"2.000001"}`, ""},
		{"unfurl", `"subtype":"message_changed","ts":"3.000001","message":{"user":"U1","text":"same","ts":"2.000001","thread_ts":"1.000001"},"previous_message":{"user":"U1","text":"same","ts":"2.000001"}`, skipUnchanged},
		{"edit of our own", `"subtype":"message_changed","ts":"3.000001","message":{"bot_id":"BBOT","text":"new","ts":"2.000001","thread_ts":"1.000001"},"previous_message":{"text":"old"}`, skipOwn},
		{"edit outside", `"subtype":"message_changed","ts":"3.000001","message":{"user":"U1","text":"new","ts":"2.000001"},"previous_message":{"user":"U1","text":"old"}`, skipOutside},
		{"edit to a tombstone", `"subtype":"message_changed","ts":"3.000001","message":{"user":"USLACKBOT","subtype":"tombstone","text":"deleted","ts":"2.000001","thread_ts":"1.000001"},"previous_message":{"user":"U1","text":"old"}`, skipBot},
		{"deletion", `"subtype":"message_deleted","ts":"3.000001","event_ts":"3.000001","deleted_ts":"2.000001","previous_message":{"user":"U1","text":"x","ts":"2.000001","thread_ts":"1.000001"}`, ""},
		{"deletion outside", `"subtype":"message_deleted","ts":"3.000001","deleted_ts":"2.000001","previous_message":{"user":"U1","text":"x","ts":"2.000001"}`, skipOutside},
		{"deletion without the message", `"subtype":"message_deleted","ts":"3.000001","deleted_ts":"2.000001"`, skipSubtype},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := messageWith(t, c.fields).Skip; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestIdentities_I2(t *testing.T) {
	said := messageWith(t, `"user":"U1","client_msg_id":"abc","text":"x","ts":"2.000001","thread_ts":"1.000001","parent_user_id":"UBOT"`)
	if diff := cmp.Diff([]string{"c:U1:abc", "v:Ev1"}, said.Also); diff != "" || said.Input.ID != "m:2.000001" || !said.OurRoot {
		t.Errorf("got id %q, our root %v (-want +got):\n%s", said.Input.ID, said.OurRoot, diff)
	}
	edited := messageWith(t, `"subtype":"message_changed","ts":"3.000001","event_ts":"3.000002","message":{"user":"U1","text":"new","ts":"2.000001","thread_ts":"1.000001","edited":{"user":"U1","ts":"3.000000"}},"previous_message":{"text":"old"}`)
	if want := "e:2.000001:3.000000"; edited.Input.ID != want {
		t.Errorf("got %q, want %q", edited.Input.ID, want)
	}
	deleted := messageWith(t, `"subtype":"message_deleted","ts":"3.000001","deleted_ts":"2.000001","previous_message":{"ts":"2.000001","thread_ts":"1.000001"}`)
	if want := "d:2.000001"; deleted.Input.ID != want {
		t.Errorf("got %q, want %q", deleted.Input.ID, want)
	}
	r := decodeReaction(reaction{user: "U1", name: "white_check_mark::skin-tone-2", item: slackevents.Item{Type: "message", Channel: "C1", Timestamp: "2.000001"}, at: "4.000001"}, me)
	if want := "r:2.000001:U1:white_check_mark:4.000001"; r.Input.ID != want {
		t.Errorf("got %q, want %q", r.Input.ID, want)
	}
}

// TestClientsNameTheirOwnMessagesOnly shows that no name which a client gives its message is
// the identity of anything else that ever happens: of another's message, edit, deletion or
// reaction, of a click, of what the engine says to itself, or of a delivery (I2).
func TestClientsNameTheirOwnMessagesOnly_I2(t *testing.T) {
	others := []string{
		"m:2.000002", "e:2.000002:3.000000", "d:2.000002", "r:2.000002:U2:white_check_mark:4.000001", "b:5.000001:U2:wrap_up", "o:DABC", "DABC/m:2.000002/posted",
		"c:U2:abc", "U2:abc", ":c:U2:abc", "v:Ev2", "Ev2", "v:V1", "c:123.456.abc",
	}
	taken := append(others[:len(others):len(others)], messageWith(t, `"user":"U2","client_msg_id":"abc","text":"x","ts":"2.000002","thread_ts":"1.000001"`).Also...)
	for _, forged := range others {
		id, err := json.Marshal(forged)
		if err != nil {
			t.Fatal(err)
		}
		h := messageWith(t, `"user":"U1","client_msg_id":`+string(id)+`,"text":"x","ts":"9.000001","thread_ts":"1.000001"`)
		for _, also := range h.Also[:1] {
			if slices.Contains(taken, also) {
				t.Errorf("a message named %q passes for %q", forged, also)
			}
		}
	}
}

func TestFilesAreNoted(t *testing.T) {
	h := messageWith(t, `"subtype":"file_share","user":"U1","text":"see","files":[{"id":"F1","name":"plan.pdf"},{"id":"F2","title":"A\nB"},{"id":"F3","name":"[bank.com](https://evil.example)"}],"ts":"2.000001","thread_ts":"1.000001"`)
	if diff := cmp.Diff([]string{"plan.pdf", "A B", "bank[.]com (https://evil.example)"}, h.Input.Event.(roundtable.Said).Files); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReactionsThatMarkNothing(t *testing.T) {
	item := slackevents.Item{Type: "message", Channel: "C1", Timestamp: "2.000001"}
	for _, c := range []struct {
		name string
		in   reaction
		want skipReason
	}{
		{"thumbs", reaction{"U1", "thumbsup", item, "4.000001", false}, skipNoMark},
		{"our own", reaction{"UBOT", "white_check_mark", item, "4.000001", false}, skipOwn},
		{"on a file", reaction{"U1", "pushpin", slackevents.Item{Type: "file"}, "4.000001", false}, skipKind},
		{"taken back", reaction{"U1", "pushpin", item, "4.000001", true}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := decodeReaction(c.in, me); got.Skip != c.want {
				t.Errorf("got %q, want %q", got.Skip, c.want)
			}
		})
	}
}

func TestOtherWorkspacesFallAway(t *testing.T) {
	body := `{"type":"event_callback","team_id":"T2","event_id":"Ev1","event":{"type":"message","channel":"C1","user":"U1","text":"x","ts":"2.000001","thread_ts":"1.000001"}}`
	if got := decodeEvent(parse(t, []byte(body)), me).Skip; got != skipElsewhere {
		t.Errorf("got %q, want %q", got, skipElsewhere)
	}
	h := messageWith(t, `"user":"U1","user_team":"T2","text":"x","ts":"2.000001","thread_ts":"1.000001"`)
	if h.Foreign != "T2" {
		t.Errorf("foreign: got %q, want T2", h.Foreign)
	}
}

func TestRecordedInteractionsDecode(t *testing.T) {
	for _, name := range []string{"block_actions", "view_submission"} {
		var c slack.InteractionCallback
		if err := json.Unmarshal(recorded(t)[name], &c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseCommand(t *testing.T) {
	for _, c := range []struct {
		text string
		want request
	}{
		{"", request{verb: verbForm}},
		{"  ", request{verb: verbForm}},
		{"help", request{verb: verbHelp}},
		{"LIST", request{verb: verbList}},
		{"list the risks", request{verb: verbTopic, arg: "list the risks"}},
		{"status of the migration", request{verb: verbTopic, arg: "status of the migration"}},
		{"export", request{verb: verbExport}},
		{"export sso-rollout-ab12cd", request{verb: verbExport, arg: "sso-rollout-ab12cd"}},
		{"export Offline  mode", request{verb: verbExport, arg: "Offline mode"}},
		{"export ../../etc/passwd", request{verb: verbExport, arg: "../../etc/passwd"}},
		{"export the data, or import it?", request{verb: verbTopic, arg: "export the data, or import it?"}},
		{"forget", request{verb: verbForget}},
		{"forget sso-rollout", request{verb: verbForget, arg: "sso-rollout"}},
		{"Forget SSO-rollout for good", request{verb: verbForget, arg: "SSO-rollout", sure: true}},
		{"forget Offline mode FOR good", request{verb: verbForget, arg: "Offline mode", sure: true}},
		{"forget for good", request{verb: verbForget, arg: "for good"}},
		{"forget passwords, use passkeys?", request{verb: verbTopic, arg: "forget passwords, use passkeys?"}},
		{"show", request{verb: verbShow}},
		{"show SSO-rollout", request{verb: verbShow, arg: "sso-rollout"}},
		{"show sso-rollout requirements-spec.md", request{verb: verbShow, arg: "sso-rollout", document: "requirements-spec.md"}},
		{"show sso-rollout <http://Notes.md|Notes.md>", request{verb: verbShow, arg: "sso-rollout", document: "Notes.md"}},
		{"show sso-rollout adrs/0001-cache.md", request{verb: verbShow, arg: "sso-rollout", document: "adrs/0001-cache.md"}},
		{"show sso-rollout spec.md as a Canvas", request{verb: verbShow, arg: "sso-rollout", document: "spec.md", canvas: true}},
		{"show progress as canvas", request{verb: verbTopic, arg: "show progress as canvas"}},
		{"show users the way", request{verb: verbTopic, arg: "show users the way"}},
		{"show progress bars", request{verb: verbTopic, arg: "show progress bars"}},
		{"show prices for v1.2", request{verb: verbTopic, arg: "show prices for v1.2"}},
		{"analyze Offline  mode", request{verb: verbAnalyze, arg: "Offline mode"}},
		{"how do we do it?", request{verb: verbTopic, arg: "how do we do it?"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			if got := parseCommand(c.text); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func FuzzDecodeEvent(f *testing.F) {
	for _, body := range recorded(f) {
		f.Add([]byte(body))
	}
	readMessages()
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := slackevents.ParseEvent(body, slackevents.OptionNoVerifyToken())
		if err != nil {
			return
		}
		h := decodeEvent(e, me)
		if h.Skip == "" && !h.Mention && h.Input.Event == nil {
			t.Errorf("neither skipped nor an input: %+v", h)
		}
		if h.Skip == "" && h.User == me.user {
			t.Errorf("our own deed: %+v", h)
		}
	})
}

// What is left out of a message event leaves nothing out that the library reads of
// the rest, in events as Slack sends them.
func TestMessageEventsReadAsTheLibraryReadsThem(t *testing.T) {
	checked := 0
	for name, body := range recorded(t) {
		var outer struct {
			Event json.RawMessage `json:"event"`
		}
		if err := json.Unmarshal([]byte(body), &outer); err != nil || !strings.Contains(string(outer.Event), `"type":"message"`) && !strings.Contains(string(outer.Event), `"type": "message"`) {
			continue
		}
		var theirs slackevents.MessageEvent
		var got messageEvent
		if err := errors.Join(json.Unmarshal(outer.Event, &theirs), json.Unmarshal(outer.Event, &got)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := messageEvent{
			Channel: theirs.Channel, ChannelType: theirs.ChannelType, EventTS: theirs.EventTimeStamp, DeletedTS: theirs.DeletedTimeStamp,
			UserTeam: theirs.UserTeam, SourceTeam: theirs.SourceTeam,
			message: message{SubType: theirs.SubType, User: theirs.User, BotID: theirs.BotID, Text: theirs.Text, TS: theirs.TimeStamp, Thread: theirs.ThreadTimeStamp, ClientMsgID: theirs.ClientMsgID},
		}
		if got.Now == nil && theirs.Message != nil { // the library repeats a plain message there
			plain := readBack(theirs.Message)
			want.Parent, want.Edited, want.Files = plain.Parent, plain.Edited, plain.Files
		} else {
			want.Now = readBack(theirs.Message)
		}
		for ours, m := range map[**message]*slack.Msg{&want.Before: theirs.PreviousMessage, &want.Root: theirs.Root} {
			if m != nil {
				*ours = readBack(m)
			}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(messageEvent{}, message{}, edit{}, file{})); diff != "" {
			t.Errorf("%s (-library +got):\n%s", name, diff)
		}
		checked++
	}
	if checked == 0 {
		t.Error("no message event was recorded")
	}
}
