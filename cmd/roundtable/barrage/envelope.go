package barrage

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// envelope is one thing to be delivered: as a payload of a kind, or, broken, as bytes
// of a frame.
type envelope struct {
	shape      string // for the report
	kind, name string
	payload    json.RawMessage
	frame      []byte
}

// scene is what a forger can know of the workspace: threads, messages and ids of
// discussions. It grows as people talk.
type scene struct {
	threads []spot
	stamps  []string
	ids     []string
	topics  []string
}

type spot struct{ room, thread string }

// forger makes envelopes: of one seed and one scene always the same ones.
type forger struct {
	dice  *rand.Rand
	scene scene
	made  int
}

func newForger(seed uint64) *forger { return &forger{dice: rand.New(rand.NewPCG(seed, 0xba77a6e))} }

// shapes are the kinds of envelopes, with how often each is made.
var shapes = []struct {
	name   string
	weight int
	make   func(*forger) envelope
}{
	{"message", 18, (*forger).message},
	{"edit", 8, (*forger).edit},
	{"deletion", 4, (*forger).deletion},
	{"reaction", 8, (*forger).reaction},
	{"mention", 6, (*forger).mention},
	{"home", 3, (*forger).home},
	{"other event", 4, (*forger).otherEvent},
	{"button", 14, (*forger).button},
	{"form", 9, (*forger).form},
	{"form of an analysis", 4, (*forger).itemForm},
	{"view closed", 2, (*forger).viewClosed},
	{"shortcut", 4, (*forger).shortcut},
	{"command", 9, (*forger).command},
	{"options", 2, (*forger).suggestion},
	{"unknown kind", 2, (*forger).unknown},
	{"broken frame", 3, (*forger).broken},
}

// Shapes are the names of the kinds of envelopes.
func Shapes() []string {
	var names []string
	for _, s := range shapes {
		names = append(names, s.name)
	}
	return names
}

// next makes the next envelope, one in four of them bent out of shape.
func (f *forger) next() envelope {
	f.made++
	total := 0
	for _, s := range shapes {
		total += s.weight
	}
	throw := f.dice.IntN(total)
	for _, s := range shapes {
		if throw -= s.weight; throw < 0 {
			e := s.make(f)
			e.shape = s.name
			return e
		}
	}
	panic("the weights do not add up") // they do
}

func of[T any](f *forger, all ...T) T { return all[f.dice.IntN(len(all))] }

// chance is true in so many of a hundred cases.
func (f *forger) chance(percent int) bool { return f.dice.IntN(100) < percent }

// quokka stands in every text that is forged, so that a log that repeats one is found;
// guestmark in what must never become a decision.
// oddity is a kind or an id that Slack may invent: those are Slack's words and may be logged.
const (
	quokka    = "quokka"
	guestmark = "guestmark"
	oddity    = "weather_report"
)

// given are the fields that hold a kind, a time or an id of Slack's.
var given = map[string]bool{
	"type": true, "subtype": true, "ts": true, "thread_ts": true, "event_ts": true, "deleted_ts": true, "action_ts": true, "message_ts": true,
	"event_id": true, "trigger_id": true, "id": true,
}

// user is somebody who presses something or sends something in: Slack shows public rooms
// to those who are not in them.
func (f *forger) user() string {
	return of(f, mallory, mallory, mallory, nell, nell, gina, gina, gina, otto, otto, "U0NOBODY1", "", "WX"+strings.Repeat("9", 200), "u-\u202e", sam)
}

// writer is somebody who writes in a room, or puts a mark there: one of those who are in
// it, an app, or a person of whom Slack will not say anything.
func (f *forger) writer(room string) string {
	everybody := of(f, "U0NOBODY1", "USLACKBOT", "U0ROUND01", "", "u-\u202e")
	switch {
	case f.chance(15):
		return everybody
	case room == vault:
		return sam
	case room == side:
		return of(f, nell, mallory)
	case room == "D0MALLORY":
		return mallory
	case room == "D0GUEST01":
		return gina
	}
	return of(f, mallory, mallory, gina, gina, otto, sam)
}

func (f *forger) room() string {
	return of(f, opens[0], opens[0], opens[1], side, vault, "C0NOWHERE", "", "D0MALLORY", "D0GUEST01", "C{9}:x", "../x")
}

// spot is a thread, mostly one that is there.
func (f *forger) spot() spot {
	if len(f.scene.threads) > 0 && f.chance(75) {
		at := of(f, f.scene.threads...)
		if f.chance(10) {
			at.room = f.room()
		}
		return at
	}
	return spot{f.room(), f.stamp()}
}

// stamp is a timestamp, of a message that is there or of none.
func (f *forger) stamp() string {
	if len(f.scene.stamps) > 0 && f.chance(60) {
		return of(f, f.scene.stamps...)
	}
	return of(f, f.fresh(), f.fresh(), "", "0", "-1.5", "9999999999999999999.999999", "1.", ".x", "1e9", "1700000000.000000", "١٢٣.٤")
}

// fresh is a timestamp of its own.
func (f *forger) fresh() string { return fmt.Sprintf("17%08d.%06d", f.made, f.dice.IntN(1e6)) }

func (f *forger) id() string {
	if len(f.scene.ids) > 0 && f.chance(70) {
		return of(f, f.scene.ids...)
	}
	return of(f, "", "D", "D"+strings.Repeat("A", 16), "D0|", "}{", strings.Repeat("D", 5000), "D1/../x")
}

func (f *forger) topic() string {
	if len(f.scene.topics) > 0 && f.chance(40) {
		return of(f, f.scene.topics...)
	}
	return of(f, quokka+" plan", quokka, "", strings.Repeat(quokka, 500), "../../"+quokka, quokka+"\x00\x1b[2J", "CON.md "+quokka, "<!channel> "+quokka)
}

// intricate are pieces of text of which many are slow to parse.
var intricate = []string{"[](", "[a](", "[a](b(c(", ">", "[", "*a _b ", "`", "<a ", "- ", "&lt;", "|a", "> 1. ", "\u202e", "<@U0SAM0001> ", "<!here>", "\n", "議"}

// text is what somebody writes who is not entitled to more, or is.
func (f *forger) text(user string) string {
	mark := quokka
	if user != mallory && user != nell && user != sam {
		mark = guestmark
	}
	switch f.dice.IntN(12) {
	case 0, 1:
		return "Decision: " + mark + " " + quokka + " it is."
	case 2:
		if user == sam {
			return quokka // his discussions are not to end
		}
		return of(f, "done", "Done, thanks!", "that's all", "stop", "quiet", "mute")
	case 3:
		return "Action: " + mark + " " + quokka
	case 4:
		return mark + " <https://evil.example/|https://bank.example> <!channel> @here <!subteam^S1|@all>"
	case 5:
		return quokka + strings.Repeat(of(f, intricate...), 1+f.dice.IntN(2000))
	case 6:
		return of(f, "show", "list", "export", "status", "help") + " " + f.topic()
	case 7:
		return strings.Repeat(quokka+" ", 1+f.dice.IntN(300))
	case 8:
		return of(f, "", " ", "\x00", "\ufffd\ufeff", "&amp;&lt;", "<", "<@>", "<@U", "<|>", "<!>") + quokka
	default:
		return "What about the " + quokka + ", Maya?"
	}
}

// event is an event envelope around an inner event.
func (f *forger) event(inner object, shape string) envelope {
	outer := object{
		"token": "x", "team_id": of(f, team, team, team, team, team, team, foreign, ""), "api_app_id": "A0ROUND01", "type": "event_callback",
		"event_id": of(f, fmt.Sprintf("Ev%08d", f.made), fmt.Sprintf("Ev%08d", f.made), "d:"+f.stamp(), ""), "event_time": f.made, "event": inner,
	}
	return envelope{kind: "events_api", name: shape, payload: f.bend(outer)}
}

// interactive is an interaction's envelope.
func (f *forger) interactive(kind, user string, more object) envelope {
	payload := object{
		"type": kind, "team": object{"id": team, "domain": "local"}, "api_app_id": "A0ROUND01", "trigger_id": f.fresh(),
		"user": object{"id": user, "name": quokka, "team_id": f.teamOf(user)},
	}
	for name, value := range more {
		payload[name] = value
	}
	return envelope{kind: "interactive", payload: f.bend(payload)}
}

// teamOf is the workspace that Slack would name.
func (f *forger) teamOf(user string) string {
	if user == otto {
		return foreign
	}
	return team
}

// bend encodes a payload, one in four bent: something is missing, or of another type,
// or deep, or huge.
func (f *forger) bend(payload object) json.RawMessage {
	if f.chance(25) {
		f.twist(payload, 0)
	}
	raw, err := json.Marshal(payload)
	if err != nil {
		panic(fmt.Sprintf("barrage: encode an envelope: %v", err)) // it is made of maps, slices, text and numbers
	}
	return raw
}

// identities are the fields that say who acts, and where. A forger bends everything
// else: Slack's own word on these is what all rights rest on.
var identities = map[string]bool{"user": true, "user_id": true, "channel": true, "channel_id": true, "team_id": true, "user_team": true, "item": true, "container": true, "message": true}

// twist changes one field of an object, or of one inside it.
func (f *forger) twist(o object, depth int) {
	var names []string
	for name := range o {
		if !identities[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	name := pick(f, names)
	if inner, ok := o[name].(object); ok && depth < 4 && f.chance(70) {
		f.twist(inner, depth+1)
		return
	}
	word := quokka
	if given[name] {
		word = oddity
	}
	switch f.dice.IntN(7) {
	case 0:
		delete(o, name)
	case 1:
		o[name] = nil
	case 2:
		o[name] = f.dice.IntN(1e9)
	case 3:
		o[name] = []any{word, nil, object{}}
	case 4:
		o[name] = object{word: true}
	case 5:
		o[name] = deep(1 + f.dice.IntN(3000))
	default:
		o[name] = strings.Repeat(word, 1+f.dice.IntN(20_000))
	}
}

// pick chooses a name whatever order a map gives them in.
func pick(f *forger, names []string) string {
	slices.Sort(names)
	return names[f.dice.IntN(len(names))]
}

// deep is a value so many levels deep.
func deep(levels int) json.RawMessage {
	return json.RawMessage(strings.Repeat(`{"a":[`, levels) + `0` + strings.Repeat(`]}`, levels))
}
