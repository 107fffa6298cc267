package roundtable

import (
	"strings"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// Conversion is the turning of a discussion into the analysis of its item: who
// asked for it, by which effect, and the analysis' thread once that stands.
type Conversion struct {
	By     thread.Person `json:"by"`
	Key    string        `json:"key"`
	Thread string        `json:"thread,omitempty"`
}

// convertible reports whether a discussion can become an analysis: one of a free
// topic can; one of a step is part of an analysis already.
func (d Discussion) convertible() bool { return d.Step.ID == FreeStep && d.Origin == nil }

// convert turns what was discussed into an analysis ([C], FR-115), once.
func (s *step) convert(by thread.Person) {
	switch {
	case !s.d.convertible():
		s.Tell(by.ID, notConvertibleText())
	case s.d.Converted != nil:
		s.Tell(by.ID, convertedAlreadyText(*s.d.Converted))
	default:
		k := s.Key()
		settings := s.d.Settings
		settings.MaxTurns -= s.d.Extended // which was this discussion's alone
		s.d.Converted = &Conversion{By: by, Key: k}
		s.Act(thread.Audit{Kind: thread.AuditConverted, By: by.ID})
		s.Do(Analyse{
			Key: k, By: by, Item: s.d.Item, ItemTitle: s.d.ItemTitle, Settings: settings,
			Thread: s.d.Place.Thread, Conclusion: s.d.conclusion(),
		})
	}
}

// analysed leads the room to the analysis.
func (s *step) analysed(e Analysed) {
	c := s.d.Converted
	if c == nil || c.Thread != "" {
		return
	}
	c.Thread = e.Thread
	m := thread.Message{Kind: thread.KindNotice, Text: convertedText(s.d, *c, e.UnderWay), Threads: s.d.links()}
	k := s.Post(m)
	s.record(thread.Entry{Kind: thread.EntryLine, Key: k, Text: m.Text})
}

// conversionFailed takes back what could not even be asked for.
func (s *step) conversionFailed(effect string) bool {
	if c := s.d.Converted; c == nil || c.Key != effect {
		return false
	}
	s.d.Converted = nil
	s.Notice(notConvertedText())
	return true
}

// links lead to the analysis that a discussion came from, and to the one that it
// became.
func (d Discussion) links() (links []thread.ThreadLink) {
	for _, threadTS := range []string{d.originThread(), d.convertedThread()} {
		if threadTS != "" {
			links = append(links, thread.ThreadLink{Label: analysisLabel(d), Thread: threadTS})
		}
	}
	return links
}

func (d Discussion) originThread() string {
	if d.Origin == nil {
		return ""
	}
	return d.Origin.Thread
}

func (d Discussion) convertedThread() string {
	if d.Converted == nil {
		return ""
	}
	return d.Converted.Thread
}

// menuButton is the button that a letter typed at the menu stands for, with or without
// brackets.
func menuButton(text string) (thread.ButtonKind, bool) {
	switch strings.ToLower(strings.Trim(strings.TrimSpace(text), "[]")) {
	case "e":
		return ButtonAgain, true
	case "c":
		return ButtonAnalyse, true
	default:
		return "", false
	}
}

// Origin is the analysis that a discussion was opened from: its id, and its thread
// in the same channel. A discussion with an origin reports to it (AC-006-03).
type Origin struct {
	Analysis string `json:"analysis"`
	Thread   string `json:"thread"`
}

// reportOpened tells the analysis where the elaboration stands. The keys of reports
// need no input's id: a discussion is opened and ended once.
func (s *step) reportOpened() {
	if r, ok := s.newReport("/opened"); ok {
		s.Do(r)
	}
}

// reportEnded tells the analysis what the elaboration came to, also if it was left
// before it began or could never be shown.
func (s *step) reportEnded() {
	r, ok := s.newReport("/ended")
	if !ok {
		return
	}
	r.Ended = true
	if x := s.d.Exit; x != nil && x.Kind == ExitRefused {
		r.Refused = x.Reason
	}
	_, written := s.in.Event.(DocumentsWritten)
	r.Conclusion = s.d.conclusion()
	r.Unwritten = s.d.Outcome != nil && !written
	s.Do(r)
}

func (s *step) newReport(key string) (Report, bool) {
	o := s.d.Origin
	if o == nil {
		return Report{}, false
	}
	return Report{Key: s.d.ID + key, To: o.Analysis, At: s.in.At, By: s.d.Opener, Step: s.d.Step, Thread: s.d.Place.Thread}, true
}
