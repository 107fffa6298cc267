package evaluation

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// Markdown is the report for people.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Evaluation of %s\n\n%d discussions, %d rounds, %d contributions, %d questions without an answer.\n", r.Engine, r.Discussions, r.Rounds, r.Contributions, r.Failed)
	b.WriteString("\n## Can the voices be told apart?\n\nNames and roles are masked; a guess is right one time in " + fmt.Sprint(max(len(r.cast), 1)) + ".\n\n")
	b.WriteString("| attributed by | all | " + strings.Join(StageNames[:], " | ") + " |\n| --- | --- | --- | --- | --- |\n")
	attribution(&b, "classifier, from lines of known origin", r.Gold)
	attribution(&b, "classifier, from the other topics", r.HeldOut)
	if j := r.Judge; j != nil {
		name := "judge " + j.Model
		if !j.Calibrated {
			name += " (**uncalibrated: not a result**)"
		}
		attribution(&b, name, j.Attribution)
		fmt.Fprintf(&b, "\nThe judge attributed %s lines of known origin; %.0f %% are needed. %d questions had no usable answer. It used %d tokens.\n", j.Gold, 100*Trusted, j.Unanswered, j.Usage.Total())
	} else {
		b.WriteString("\nNobody judged beside the classifier.\n")
	}
	b.WriteString("\n## By persona\n\n" + r.VoiceTable())
	b.WriteString("\n## What the voice rules found\n\n")
	r.faultTable(&b)
	b.WriteString("\n## Probes\n\n| what | figure |\n| --- | --- |\n")
	for _, row := range []struct {
		name  string
		share Share
	}{
		{"lines from person to person that no persona answered", r.Probes.Silence},
		{"marked decisions that the synthesis holds", r.Probes.Marked},
		{"decisions in plain words that it found", r.Probes.Settled},
		{"discussions in which a consent is claimed that nobody gave", r.Probes.FalseConsent},
		{"contributions that disagree", r.Probes.Disagreement},
		{"disagreements given up at the next turn", r.Probes.Collapse},
		{"disagreements given up after a person pushed back", r.Probes.Pressed},
		{"contributions that repeat what was just said, or themselves", r.Echo},
		{"contributions with any fault", r.Faulty},
	} {
		fmt.Fprintf(&b, "| %s | %s |\n", row.name, row.share)
	}
	b.WriteString("\n## Cost and time\n\n")
	fmt.Fprintf(&b, "%d tokens, $%d.%06d by the configured prices", r.Spent.Tokens, r.Spent.Micros/1_000_000, r.Spent.Micros%1_000_000)
	if r.MedianWait > 0 {
		fmt.Fprintf(&b, "; to the first contribution of a round %s in the median, %s at the 95th percentile", r.MedianWait.Round(time.Millisecond), r.P95Wait.Round(time.Millisecond))
	}
	b.WriteString(".\n")
	return b.String()
}

// VoiceTable is a row of figures for each persona.
func (r *Report) VoiceTable() string {
	var b strings.Builder
	b.WriteString("| persona | contributions | attributed from other topics | from lines of known origin | with a fault |\n| --- | --- | --- | --- | --- |\n")
	for _, p := range r.cast {
		var faulty Share
		for _, u := range r.Said {
			if u.Persona == p.Key {
				faulty.add(len(u.Faults) > 0)
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %d |\n", p.Identity(), faulty.Of, of(r.HeldOut, p.Key), of(r.Gold, p.Key), faulty.Count)
	}
	return b.String()
}

func of(a Attribution, k persona.Key) Share {
	if s := a.Personas[k]; s != nil {
		return *s
	}
	return Share{}
}

func (r *Report) faultTable(b *strings.Builder) {
	b.WriteString("| rule |")
	for _, p := range r.cast {
		b.WriteString(" " + p.First() + " |")
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(r.cast)+1) + "\n")
	for _, rule := range voice.Rules() {
		fmt.Fprintf(b, "| %s |", rule)
		for _, p := range r.cast {
			fmt.Fprintf(b, " %d |", r.Faults[rule][p.Key])
		}
		b.WriteString("\n")
	}
}

func attribution(b *strings.Builder, name string, a Attribution) {
	low, high := a.All.Interval()
	fmt.Fprintf(b, "| %s | %s, %.3f to %.3f |", name, a.All, low, high)
	for _, s := range a.Stages {
		fmt.Fprintf(b, " %s |", s)
	}
	b.WriteString("\n")
}

// String is "35 of 36 = 0.972".
func (s Share) String() string {
	if s.Of == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d = %.3f", s.Count, s.Of, s.Rate())
}

// JSON is the report for programs.
func (r *Report) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the report as JSON: %w", err)
	}
	return append(b, '\n'), nil
}

// WriteSaid writes what was said, one JSON object a line, for people who want to
// read what the figures count.
func (r *Report) WriteSaid(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, u := range r.Said {
		if err := e.Encode(u); err != nil {
			return fmt.Errorf("write what was said: %w", err)
		}
	}
	return nil
}
