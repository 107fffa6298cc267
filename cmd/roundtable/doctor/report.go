package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Level is how much a finding matters.
type Level int

// The levels. Advice is what could be better; a warning says that a promise does
// not hold in some accident; a failure, that something does not work at all.
const (
	Fine Level = iota
	Advice
	Warning
	Failure
)

func (l Level) String() string { return [...]string{"ok", "advice", "warning", "failure"}[l] }

// MarshalText implements encoding.TextMarshaler.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// The areas of findings.
const (
	areaConfiguration = "configuration"
	areaFiles         = "files"
	areaRedis         = "redis"
	areaSlack         = "slack"
	areaModel         = "model"
)

// Finding is one thing that was looked at.
type Finding struct {
	Area  string `json:"area"`
	Check string `json:"check"`
	Level Level  `json:"level"`
	// Where are the servers that it was found at, if there is more than one.
	Where []string `json:"where,omitempty"`
	Found string   `json:"found"`
	// Means is what follows from it, and Promises which promises it breaks; Do is
	// what to do about it. Empty where all is well.
	Means    string `json:"means,omitempty"`
	Promises []int  `json:"promises,omitempty"`
	Do       string `json:"do,omitempty"`
}

// Promise is something that the program promises: what a finding calls it, and what it
// says.
type Promise struct{ Name, Says string }

// Promises are all of them; a finding names them by their place, from 1. README.md lists
// them in these words.
func Promises() []Promise {
	return []Promise{
		{"nothing is lost", "a message that was acknowledged is never lost and never processed twice"},
		{"said once", "a contribution is posted once, in order, or the thread says why not"},
		{"crashes do no harm", "both hold when processes are killed and when Redis restarts or fails over"},
		{"documents only grow", "an artifact loses no byte"},
		{"weeks later it goes on", "a discussion that waited continues where it was"},
		{"nothing leaks", "no text notifies a channel, impersonates, or reads another channel's discussion"},
	}
}

// Report is everything that was found.
type Report struct {
	findings []Finding
	// hide is never printed.
	hide []string
}

func (d *Report) add(all ...Finding) {
	for _, f := range all {
		f.Found, f.Means, f.Do = d.clean(f.Found), d.clean(f.Means), d.clean(f.Do)
		d.findings = append(d.findings, f)
	}
}

// clean takes out secrets. Nothing that reports a finding should have put one in;
// this is the last door (I11).
func (d *Report) clean(text string) string {
	for _, secret := range d.hide {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}

// Worst is the highest level of all findings.
func (d *Report) Worst() Level {
	worst := Fine
	for _, f := range d.findings {
		worst = max(worst, f.Level)
	}
	return worst
}

func (d *Report) count(l Level) int {
	n := 0
	for _, f := range d.findings {
		if f.Level == l {
			n++
		}
	}
	return n
}

// WriteJSON prints the findings for programs.
func (d *Report) WriteJSON(w io.Writer) error {
	counts := map[string]int{}
	for l := Fine; l <= Failure; l++ {
		counts[l.String()] = d.count(l)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Worst    Level          `json:"worst"`
		Counts   map[string]int `json:"counts"`
		Findings []Finding      `json:"findings"`
	}{d.Worst(), counts, d.findings})
}

// WriteText prints the findings for people: a line each, and below it what it
// means and what to do.
func (d *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	area := ""
	cited := map[int]bool{}
	for _, f := range d.findings {
		if f.Area != area {
			area = f.Area
			fmt.Fprintf(&b, "%s\n", area)
		}
		fmt.Fprintf(&b, "  %-8s %-22s %s%s\n", f.Level, f.Check, f.Found, f.at())
		if f.Means != "" {
			fmt.Fprintf(&b, "             means: %s%s\n", f.Means, broken(f.Promises))
		}
		if f.Do != "" {
			fmt.Fprintf(&b, "             do:    %s\n", f.Do)
		}
		for _, p := range f.Promises {
			cited[p] = true
		}
	}
	if len(cited) > 0 {
		b.WriteString("\npromises that an accident can break in this setup\n")
		for i, p := range Promises() {
			if cited[i+1] {
				fmt.Fprintf(&b, "  %-22s %s\n", p.Name, p.Says)
			}
		}
	}
	fmt.Fprintf(&b, "\n%s\n", d.summary())
	_, err := io.WriteString(w, b.String())
	return err
}

func (f Finding) at() string {
	if len(f.Where) == 0 {
		return ""
	}
	return " (" + strings.Join(f.Where, ", ") + ")"
}

// broken names the promises that a finding breaks.
func broken(numbers []int) string {
	if len(numbers) == 0 {
		return ""
	}
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = "“" + Promises()[n-1].Name + "”"
	}
	return " (breaks " + strings.Join(names, ", ") + ")"
}

// summary counts what is not well.
func (d *Report) summary() string {
	var parts []string
	for _, c := range []struct {
		level    Level
		noun, of string
	}{{Failure, "failure", ""}, {Warning, "warning", ""}, {Advice, "piece", " of advice"}} {
		if n := d.count(c.level); n > 0 {
			parts = append(parts, counted(n, c.noun)+c.of)
		}
	}
	if len(parts) == 0 {
		return "all is well"
	}
	return strings.Join(parts, ", ")
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
