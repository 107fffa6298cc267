package chaos

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine/invariant"
)

// Verdict is the outcome of a campaign.
type Verdict struct {
	Plan Plan
	// Begun is when the campaign began.
	Begun time.Time
	// Took is how long everything took, healing included.
	Took time.Duration
	// Counts are what befell the campaign and what came of it, by name.
	Counts map[string]int
	// Violations are broken invariants. In a mode that must be expected to break
	// promises they are Tolerated instead.
	Violations, Tolerated []invariant.Violation
	// Trace is what the replicas logged of discussions in which something was broken, in
	// order of time.
	Trace []string
}

// long is the length from which on it tells something that a campaign of Unconfirmed
// broke nothing.
const long = 5 * time.Minute

// ShowsNothing reports whether a long campaign broke no promise in the mode that is
// there to show which ones can break. What was lost may have been found again in Slack.
func (v Verdict) ShowsNothing() bool {
	return v.Plan.Mode == Unconfirmed && v.Plan.For >= long && len(v.Tolerated) == 0
}

// section is a part of the report: a title and the names of its counts.
type section struct {
	title string
	names []string
}

// sections orders the counts of a report.
func sections() []section {
	weather := []string{killed, drained, paused, "replicas that ended by themselves and were restarted", refreshed, severed,
		"Redis kill -9 and restart from its append-only file", "Redis failover after stalled replication (kill -9 of the master)"}
	for _, b := range troubles {
		weather = append(weather, b.name)
	}
	for _, h := range hindrances {
		for _, way := range ways {
			weather = append(weather, h.name+" "+way.name)
		}
	}
	for _, m := range mischiefs {
		weather = append(weather, m.name)
	}
	mended := []string{retracted}
	for _, n := range notable {
		mended = append(mended, n.name)
	}
	var harm []string
	for _, acts := range misdeeds() {
		for _, m := range acts {
			harm = append(harm, m.name)
		}
	}
	return []section{
		{"Faults injected", weather},
		{"What the rogues did", append(harm, rewrites, strewnMarks)},
		{"What people did", []string{openings, messages, edits, deletions, reactions, clicks, unanswered, dismissals}},
		{"What was got over", mended},
		{"What was measured", []string{acks, slowest, idleName, mostName, limitedName, hastyName, givenUp}},
		{"What is left", []string{closed, turns, posts, contribs, records, late, parked, roguesOwn}},
	}
}

// Table is the verdict as Markdown.
func (v Verdict) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n%s\n\n%d replicas, %d tables, %s of violence, %s in all, seed %d.\n", v.Plan.Mode, v.origin(), v.Plan.Replicas, v.Plan.Tables,
		v.Plan.For, v.Took.Round(time.Second), v.Plan.Seed)
	for _, s := range sections() {
		if !slices.ContainsFunc(s.names, func(name string) bool { return v.Counts[name] > 0 }) {
			continue
		}
		fmt.Fprintf(&b, "\n| %s | |\n|---|---:|\n", s.title)
		for _, name := range s.names {
			if n := v.Counts[name]; n > 0 {
				fmt.Fprintf(&b, "| %s | %d |\n", name, n)
			}
		}
	}
	b.WriteString("\n" + v.sentence() + "\n")
	return b.String()
}

// origin says when and of what the verdict is.
func (v Verdict) origin() string {
	at := ""
	if v.Plan.Commit != "" {
		at = " at commit " + v.Plan.Commit + ","
	}
	return fmt.Sprintf("Of %s,%s on %s/%s with %d processors.", v.Begun.UTC().Format("2 January 2006"), at, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}

// sentence sums up, by invariant.
func (v Verdict) sentence() string {
	all := append(slices.Clone(v.Violations), v.Tolerated...)
	if v.ShowsNothing() {
		return "Broken: nothing. What Redis lost was found again in Slack. This is no promise: without confirmation a failover can lose what was acknowledged."
	}
	if len(all) == 0 {
		return "Violations: 0. Nothing lost, nothing twice, nothing out of order, nothing stuck, every record there."
	}
	by := make(map[string]int)
	for _, each := range all {
		by[each.Invariant]++
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, by[name]))
	}
	kind := "Violations"
	if len(v.Violations) == 0 {
		kind = "Broken, as this setting must be expected to"
	}
	return fmt.Sprintf("%s: %d (%s).", kind, len(all), strings.Join(parts, ", "))
}
