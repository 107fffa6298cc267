package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// level is how much a finding matters.
type level int

// The levels. Advice is what could be better; a warning says that a promise does
// not hold in some accident; a failure, that something does not work at all.
const (
	fine level = iota
	advice
	warning
	failure
)

func (l level) String() string { return [...]string{"ok", "advice", "warning", "failure"}[l] }

// MarshalText implements encoding.TextMarshaler.
func (l level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// The areas of findings.
const (
	areaConfiguration = "configuration"
	areaFiles         = "files"
	areaRedis         = "redis"
	areaSlack         = "slack"
	areaModel         = "model"
)

// finding is one thing that was looked at.
type finding struct {
	Area  string `json:"area"`
	Check string `json:"check"`
	Level level  `json:"level"`
	// Where are the servers it was found at, if there is more than one.
	Where []string `json:"where,omitempty"`
	Found string   `json:"found"`
	// Means is what follows from it, and Promises which promises it breaks; Do is
	// what to do about it. Empty where all is well.
	Means    string `json:"means,omitempty"`
	Promises []int  `json:"promises,omitempty"`
	Do       string `json:"do,omitempty"`
}

// promises are what the program promises (SPEC §11), in short.
var promises = map[int]string{
	1: "a message that was acknowledged is never lost and never processed twice",
	2: "a contribution is posted once, in order, or the thread says why not",
	3: "both hold when processes are killed and when Redis restarts or fails over",
	4: "an artifact loses no byte",
	5: "a discussion that waited continues where it was",
	6: "no text notifies a channel, impersonates, or reads another channel's discussion",
}

// diagnosis is everything that was found.
type diagnosis struct {
	findings []finding
	// hide is never printed.
	hide []string
}

func (d *diagnosis) add(all ...finding) {
	for _, f := range all {
		f.Found, f.Means, f.Do = d.clean(f.Found), d.clean(f.Means), d.clean(f.Do)
		d.findings = append(d.findings, f)
	}
}

// clean takes out secrets. Nothing that reports a finding should have put one in;
// this is the last door (I11).
func (d *diagnosis) clean(text string) string {
	for _, secret := range d.hide {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}

// secretParts is a secret and, of an address, the password in it: as it stands
// there, and as it is meant. What is too short to be told from a word is left out.
func secretParts(secret string) []string {
	parts := []string{secret}
	if u, err := url.Parse(secret); err == nil {
		if password, ok := u.User.Password(); ok {
			parts = append(parts, password, url.QueryEscape(password), url.PathEscape(password))
		}
		parts = append(parts, u.Query().Get("sentinel_password"))
	}
	return slices.DeleteFunc(parts, func(p string) bool { return len(p) < 4 })
}

func (d *diagnosis) worst() level {
	worst := fine
	for _, f := range d.findings {
		worst = max(worst, f.Level)
	}
	return worst
}

func (d *diagnosis) count(l level) int {
	n := 0
	for _, f := range d.findings {
		if f.Level == l {
			n++
		}
	}
	return n
}

// writeJSON prints the findings for programs.
func (d *diagnosis) writeJSON(w io.Writer) error {
	counts := map[string]int{}
	for l := fine; l <= failure; l++ {
		counts[l.String()] = d.count(l)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Worst    level          `json:"worst"`
		Counts   map[string]int `json:"counts"`
		Findings []finding      `json:"findings"`
	}{d.worst(), counts, d.findings})
}

// writeText prints the findings for people: a line each, and below it what it
// means and what to do.
func (d *diagnosis) writeText(w io.Writer) error {
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
		b.WriteString("\nthe promises that an accident can break as things are\n")
		for p := range len(promises) + 1 {
			if cited[p] {
				fmt.Fprintf(&b, "  %d  %s\n", p, promises[p])
			}
		}
	}
	fmt.Fprintf(&b, "\n%s\n", d.summary())
	_, err := io.WriteString(w, b.String())
	return err
}

func (f finding) at() string {
	if len(f.Where) == 0 {
		return ""
	}
	return " (" + strings.Join(f.Where, ", ") + ")"
}

func broken(promises []int) string {
	if len(promises) == 0 {
		return ""
	}
	words := make([]string, len(promises))
	for i, p := range promises {
		words[i] = fmt.Sprint(p)
	}
	noun := "promise"
	if len(words) > 1 {
		noun = "promises"
	}
	return fmt.Sprintf(" (%s %s)", noun, strings.Join(words, ", "))
}

// summary counts what is not well.
func (d *diagnosis) summary() string {
	var parts []string
	for _, c := range []struct {
		l    level
		noun string
	}{{failure, "failure"}, {warning, "warning"}, {advice, "piece"}} {
		if n := d.count(c.l); n > 0 {
			parts = append(parts, counted(n, c.noun))
		}
	}
	if len(parts) == 0 {
		return "all is well"
	}
	if d.count(advice) > 0 {
		parts[len(parts)-1] += " of advice"
	}
	return strings.Join(parts, ", ")
}

// merged joins findings that say the same of several servers, and drops the name
// of the server where there is only one.
func merged(all []finding, servers int) []finding {
	var out []finding
	for _, f := range all {
		i := slices.IndexFunc(out, func(o finding) bool {
			return o.Check == f.Check && o.Level == f.Level && o.Found == f.Found && o.Means == f.Means && o.Do == f.Do
		})
		if i < 0 {
			out = append(out, f)
			continue
		}
		out[i].Where = append(out[i].Where, f.Where...)
	}
	if servers < 2 {
		for i := range out {
			out[i].Where = nil
		}
	}
	return out
}
