package enginetest

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Scripts reads the scenarios of the rules (roundtable/testdata/scenarios), to be
// played through a real engine: what people do are inputs, what the panel says are
// cues, and what the script expects is left to the rules' own test. A message at
// "ts=8" is the turn that the script's own transcript shows there.
func Scripts(t testing.TB, pattern string) []Scenario {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios in %s: %v", pattern, err)
	}
	scenarios := make([]Scenario, 0, len(files))
	for _, f := range files {
		r := &reader{turns: make(map[string]string)}
		r.Name, r.Scripted = strings.TrimSuffix(filepath.Base(f), ".txt"), true
		datadriven.RunTestAny(t, f, func(t testing.TB, c *datadriven.TestData) string {
			t.Helper()
			if err := r.command(c); err != nil {
				c.Fatalf(t, "%v", err)
			}
			return c.Expected
		})
		r.resolve()
		scenarios = append(scenarios, r.Scenario)
	}
	return scenarios
}

// reader makes a scenario of a script.
type reader struct {
	Scenario
	// turns are the turns that stand at the script's timestamps.
	turns map[string]string
	// inWindow is set while people's messages are still being gathered.
	inWindow bool
}

// command adds what one command says.
func (r *reader) command(c *datadriven.TestData) error {
	switch c.Cmd {
	case "parked", "analysed", "knocked":
		return nil // an engine parks what it has reason to, opens analyses and knocks itself
	}
	who := ""
	if len(c.CmdArgs) > 0 {
		who = c.CmdArgs[0].Key
	}
	a := Act{AtOnce: r.inWindow}
	r.inWindow = false
	var err error
	if c.Cmd != "root" && c.Cmd != "transcript" {
		r.posts(c.Expected)
	}
	switch c.Cmd {
	case "open":
		return r.open(c)
	case "root":
		return nil
	case "transcript":
		r.transcript(c.Expected)
		return nil
	case "wait":
		a.AtOnce = false
		a.After, err = time.ParseDuration(who)
	case "identified":
		r.identified(c, who)
		return nil
	case "say":
		a.Who, a.Say = who, c.Input
		// What the rules answer to its author alone, and what only sets the
		// floor, is no part of the discussion.
		a.Unlogged = strings.Contains(c.Expected, "[only ") || strings.Contains(c.Expected, "[open]") || isFloorWord(c.Input) || isLetter(c.Input)
		r.inWindow = r.Settings.Gather > 0 && strings.HasPrefix(c.Expected, "(nothing)")
	case "edit":
		a.Who, a.Edit, a.Text = argument(c, "by", "Priya"), who, c.Input
	case "delete":
		a.Delete = who
	case "react":
		a.Who, a.React, a.Text, a.Removed = who, argument(c, "ts", ""), argument(c, "emoji", ""), c.HasArg("removed")
		a.Unsure = c.HasArg("unsure")
	case "press":
		a.Who, a.Press, a.Value = who, thread.ButtonKind(c.CmdArgs[1].Key), strings.TrimSpace(c.Input)
	case "fail":
		failed := roundtable.Failed{Reason: thread.Reason(argument(c, "reason", ""))}
		if strings.TrimSpace(c.Input) != "" {
			if err := json.Unmarshal([]byte(c.Input), &failed); err != nil {
				return err
			}
		}
		return r.fail(who, failed)
	case "enriched":
		r.mend()
		return nil // the engine writes the documents itself
	default:
		a.Cue, err = cue(c, who)
	}
	a.As = standingOf(a.Who)
	if as := argument(c, "as", ""); as != "" {
		a.As = standingNamed(as)
	}
	r.Acts = append(r.Acts, a)
	return err
}

// isFloorWord knows the words by which the scripts quieten personas.
func isFloorWord(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "quiet", "mute", "unmute":
		return true
	}
	return false
}

// isLetter knows the letters that a menu takes.
func isLetter(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return text == "e" || text == "c"
}

// longestPause is longer than any between two questions to Slack about somebody.
const longestPause = 70 * time.Minute

// identified has Slack say who somebody is, and lets the time pass until it is asked. What
// Slack does not say, it does not say anyway.
func (r *reader) identified(c *datadriven.TestData, who string) {
	as := standingNamed(argument(c, "as", ""))
	if as == thread.StandingUnknown {
		return
	}
	r.Acts = append(r.Acts, Act{Who: who, As: as, Known: true}, Act{After: longestPause})
}

func (r *reader) open(c *datadriven.TestData) error {
	opened := Opening(roundtable.Settings{}, time.Time{}).Event.(roundtable.Opened)
	topic := argument(c, "topic", "offline mode for notes")
	opened.Topic, opened.Item, opened.ItemTitle = topic, "offline-mode", "offline mode feature"
	opened.By = personNamed(argument(c, "by", "Priya"))
	opened.Place.Thread = argument(c, "thread", "")
	opened.Step = roundtable.StepRef{ID: argument(c, "step", roundtable.FreeStep), Title: topic, Outputs: []string{roundtable.FreeOutput}}
	opened.Lead = personaNamed(argument(c, "lead", "Maya"))
	if from := argument(c, "from", ""); from != "" {
		opened.Origin = &roundtable.Origin{Analysis: from, Thread: "1.000001"}
	}
	if names := argument(c, "invite", ""); names != "" {
		for name := range strings.SplitSeq(names, "+") {
			opened.Invited = append(opened.Invited, personNamed(name).ID)
		}
	}
	s := &opened.Settings
	s.Close, s.Choose = thread.Right(argument(c, "close", "")), thread.Right(argument(c, "choose", ""))
	var errs [3]error
	s.MaxTurns, errs[0] = strconv.Atoi(argument(c, "max", "10"))
	s.Gather, errs[1] = time.ParseDuration(argument(c, "gather", "0s"))
	s.Silence, errs[2] = time.ParseDuration(argument(c, "silence", "0s"))
	s.MayExtend = argument(c, "extend", "true") == "true"
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	r.Settings, r.Opened, r.Refused = *s, &opened, thread.Reason(argument(c, "refused", ""))
	if r.Refused != "" {
		r.Posts = nil
	}
	return nil
}

// fail makes something fail as the script says: the panel by a cue, Slack by
// refusing the next post, the documents by being such that nothing can be merged
// into them until the script says that it could.
func (r *reader) fail(what string, failed roundtable.Failed) error {
	switch what {
	case "ask":
		r.Acts = append(r.Acts, Act{Cue: &Cue{Fail: &failed}})
	case "post", "contribution", "procedure", "notice", "choice", "synthesis", "menu":
		if slacks(failed.Reason) {
			r.Acts = append(r.Acts, Act{AtOnce: true, Refuse: failed.Reason})
		}
	case "enrich":
		r.BrokenItem = true
	default:
		return fmt.Errorf("cannot make %q fail", what)
	}
	return nil
}

// slacks reports whether Slack can refuse a post for a reason; others are of interest
// to the rules alone.
func slacks(r thread.Reason) bool {
	switch r {
	case thread.ReasonArchived, thread.ReasonNotInChannel, thread.ReasonNoPermission, thread.ReasonThreadGone, thread.ReasonMessageRefused:
		return true
	case thread.ReasonModelUnavailable, thread.ReasonModelRefused, thread.ReasonModelConfig, thread.ReasonOverBudget, thread.ReasonArtifactRefused, thread.ReasonTooLarge,
		thread.ReasonUndrawn:
	}
	return false
}

// mend mends what was broken before the act that led to the success.
func (r *reader) mend() {
	if n := len(r.Acts); r.BrokenItem && n > 0 {
		r.Acts = slices.Insert(r.Acts, n-1, Act{Mend: true})
	}
}

// posts notes the posts that a command leads to. What is not told to somebody
// alone, nor a transition, begins with who says it. Which documents were changed
// depends on the documents, and reminders on the calendar, so both are left out.
func (r *reader) posts(expected string) {
	for line := range strings.Lines(expected) {
		who, text, ok := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		who = strings.TrimSuffix(who, " → channel")
		if ok && (who == "Roundtable" || strings.HasSuffix(who, ")")) && !strings.HasPrefix(who, " ") && !IsChange(text) && !isReminder(text) {
			r.Posts = append(r.Posts, who+": "+text)
		}
	}
}

// cue reads what the panel says.
func cue(c *datadriven.TestData, who string) (*Cue, error) {
	var err error
	number := func(name string) (n int) {
		if n, err = strconv.Atoi(argument(c, name, "0")); err != nil {
			return 0
		}
		return n
	}
	decode := func(v any) {
		if strings.TrimSpace(c.Input) != "" {
			err = json.Unmarshal([]byte(c.Input), v)
		}
	}
	switch c.Cmd {
	case "frame":
		return &Cue{Frame: &roundtable.Framing{Summary: argument(c, "summary", ""), Focus: c.Input, Ask: personaNamed(argument(c, "ask", ""))}}, nil
	case "contribute":
		return &Cue{Contribute: &roundtable.Contribution{
			Persona: personaNamed(who), Stance: thread.Stance(argument(c, "stance", "add")), ReplyTo: number("re"), Text: c.Input,
		}}, err
	case "drift":
		return &Cue{Contribute: &roundtable.Contribution{
			Persona: personaNamed("Maya"), Drift: &roundtable.Drift{Turn: number("turn"), Subject: c.Input, Belongs: argument(c, "belongs", "")},
		}}, err
	case "end":
		e := &roundtable.Ending{Incomplete: c.HasArg("incomplete"), Spent: thread.Spend{Tokens: int64(number("tokens")), Micros: int64(number("micros"))}}
		decode(&e.Conflict)
		return &Cue{End: e}, err
	case "draft":
		d := &DraftCue{}
		decode(&d.Draft)
		return &Cue{Draft: d}, err
	default:
		return nil, fmt.Errorf("unknown command %q", c.Cmd)
	}
}

// transcript notes what stands at the script's timestamps: a persona's turn, or
// the message with which a person's began.
func (r *reader) transcript(expected string) {
	for line := range strings.Lines(expected) {
		number, rest, _ := strings.Cut(line, " ")
		speaker, rest, ok := strings.Cut(rest, " [")
		ts, _, closed := strings.Cut(rest, "]")
		if _, err := strconv.Atoi(number); err != nil || !ok || !closed || r.turns[ts] != "" {
			continue
		}
		r.turns[ts] = "@" + number
		i := slices.IndexFunc(r.Acts, func(a Act) bool { return a.Say != "" && a.Name == "" && a.Who == speaker })
		if i >= 0 {
			r.Acts[i].Name, r.turns[ts] = ts, ts
		}
	}
}

// resolve makes turns of the script's timestamps.
func (r *reader) resolve() {
	for i := range r.Acts {
		a := &r.Acts[i]
		for _, ref := range []*string{&a.Edit, &a.Delete, &a.React} {
			if turn, ok := r.turns[*ref]; ok {
				*ref = turn
			}
		}
	}
}

// isReminder knows reminders: when they come depends on what day it is where the
// person works, and a play begins when it begins.
func isReminder(text string) bool { return strings.Contains(text, "waits for your answer") }

// IsChange reports whether a post says which document was changed.
func IsChange(text string) bool {
	return strings.HasPrefix(text, "Created ") || strings.HasPrefix(text, "Updated ")
}

func argument(c *datadriven.TestData, name, otherwise string) string {
	if a, ok := c.Arg(name); ok && len(a.Vals) > 0 {
		return a.Vals[0]
	}
	return otherwise
}

func personNamed(name string) thread.Person {
	id, ok := map[string]string{"Priya": "U1", "Sam": "U2"}[name]
	if !ok {
		id = "U-" + name
	}
	return thread.Person{ID: id, Name: name}.As(standingOf(name))
}

// standingOf is the standing of a person with a name: Gus is a guest, and of Una Slack does
// not say who she is.
func standingOf(name string) thread.Standing {
	switch name {
	case "Gus":
		return thread.StandingGuest
	case "Una":
		return thread.StandingUnknown
	default:
		return thread.StandingMember
	}
}

// standingNamed is a standing as a script says it: "member" for that, and nothing for
// unknown.
func standingNamed(as string) thread.Standing {
	switch as {
	case "":
		return thread.StandingUnknown
	case "member":
		return thread.StandingMember
	default:
		return thread.Standing(as)
	}
}

func personaNamed(first string) persona.Key {
	for _, s := range Seats() {
		if strings.EqualFold(s.First(), first) {
			return s.Key
		}
	}
	return persona.Key(first)
}
