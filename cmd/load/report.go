package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// rate is human turns a second.
func (f figures) rate() float64 { return float64(f.tally.turns()) / f.span.Seconds() }

// perTurn divides by the human turns that were completed.
func (f figures) perTurn(d time.Duration) time.Duration {
	return d / time.Duration(max(1, f.tally.turns()))
}

func (f figures) each(n int64) float64 { return float64(n) / float64(max(1, f.tally.turns())) }

func (f figures) posts() float64 { return f.each(int64(f.tally.posts + f.tally.strays)) }

func (f figures) requests() float64 {
	n := 0
	for _, calls := range f.tally.calls {
		n += calls
	}
	return f.each(int64(n))
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// row is one line of a table of figures: its name, and how it is read and shown.
type row struct {
	name   string
	format string
	value  func(figures) float64
}

// rows are the figures of a stretch of load.
var rows = []row{
	{"human turns per second", "%.1f", figures.rate},
	{"CPU of the bot per turn, ms", "%.2f", func(f figures) float64 { return millis(f.perTurn(f.bot)) }},
	{"CPU of Redis per turn, ms", "%.2f", func(f figures) float64 { return millis(f.perTurn(f.redis.cpu)) }},
	{"CPU of workspace and crowd per turn, ms", "%.2f", func(f figures) float64 { return millis(f.perTurn(f.slack)) }},
	{"requests to Redis per turn", "%.1f", func(f figures) float64 { return f.each(f.redis.reads) }},
	{"Redis commands per turn, those in scripts included", "%.1f", func(f figures) float64 { return f.each(f.redis.calls()) }},
	{"posts per turn", "%.2f", figures.posts},
	{"Web API calls per turn", "%.2f", figures.requests},
	{"event → ack, p50, ms", "%.1f", func(f figures) float64 { return millis(percentile(f.tally.acks, 50)) }},
	{"event → ack, p99, ms", "%.1f", func(f figures) float64 { return millis(percentile(f.tally.acks, 99)) }},
	{"event → first post, p50, ms", "%.1f", func(f figures) float64 { return millis(percentile(f.tally.first, 50)) }},
	{"event → first post, p99, ms", "%.1f", func(f figures) float64 { return millis(percentile(f.tally.first, 99)) }},
	{"event → last post, p50, ms", "%.1f", func(f figures) float64 { return millis(percentile(f.tally.last, 50)) }},
	{"event → last post, p99, ms", "%.1f", func(f figures) float64 { return millis(percentile(f.tally.last, 99)) }},
	{"messages delivered again", "%.0f", func(f figures) float64 { return float64(f.tally.again) }},
	{"turns without an answer", "%.0f", func(f figures) float64 { return float64(f.tally.unanswered) }},
}

// benchReport is what bench found.
type benchReport struct {
	settings             settings
	openings             []time.Duration
	full, half, gathered figures
	idle                 []keeping
}

func (r *benchReport) markdown() string {
	var b strings.Builder
	b.WriteString("## Load on one replica\n\n" + conditions(r.settings))
	b.WriteString("| | full load | half load | half load, gathering 3 s |\n|---|---:|---:|---:|\n")
	for _, x := range rows {
		fmt.Fprintf(&b, "| %s | "+x.format+" | "+x.format+" | "+x.format+" |\n", x.name, x.value(r.full), x.value(r.half), x.value(r.gathered))
	}
	fmt.Fprintf(&b, "\nOpening %d discussions, %.0f a second: request → introduction p50 %.1f ms, p99 %.1f ms.\n",
		len(r.openings), opened, millis(percentile(r.openings, 50)), millis(percentile(r.openings, 99)))
	fmt.Fprintf(&b, "\nRedis commands per turn at half load: %s.\nWeb API calls per turn at half load: %s.\n", commands(r.half), methods(r.half))
	fmt.Fprintf(&b, "\nDiscussions of %d turns, %.0f a second, then left alone for %v. The bot's memory is what the kernel counts, pages of its file included.\n", tenTurns, talked, stillness)
	b.WriteString("\n| idle discussions | kB of keys in Redis, each | kB in the bot, each | bot in all, MiB | of that pages of its file, MiB | most while they talked, MiB | talked within, s |\n|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, k := range r.idle {
		n := float64(k.discussions) * 1000
		fmt.Fprintf(&b, "| %d | %.1f | %.1f | %.0f | %.0f | %.0f | %.0f |\n", k.discussions, float64(k.redis)/n, float64(k.bot)/n,
			mebi(k.memory.now), mebi(k.memory.file), mebi(k.memory.most), k.opened.Seconds())
	}
	return b.String()
}

func mebi(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// peersReport is what peers found, pair by pair.
type peersReport struct {
	settings     settings
	ours, theirs []figures
}

func (r *peersReport) markdown() string {
	var b strings.Builder
	b.WriteString("## Beside a peer on the official JavaScript framework\n\n" + conditions(r.settings))
	fmt.Fprintf(&b, "Medians of %d paired runs; the ratio is the median of the pairs' ratios, with the least and the greatest.\n\n", len(r.ours))
	b.WriteString("| | roundtable | peer | roundtable / peer |\n|---|---:|---:|---:|\n")
	memory := row{"bot in memory, MiB", "%.0f", func(f figures) float64 { return mebi(f.memory.now) }}
	intro := row{"request → introduction, p50, ms", "%.1f", func(f figures) float64 { return millis(percentile(f.openings, 50)) }}
	for _, x := range append(slices.Clone(rows), intro, memory) {
		ours, theirs, ratios := values(r.ours, x.value), values(r.theirs, x.value), []float64(nil)
		for i := range ours {
			if theirs[i] != 0 {
				ratios = append(ratios, ours[i]/theirs[i])
			}
		}
		shown := "–"
		if len(ratios) > 0 {
			shown = fmt.Sprintf("%.2f (%.2f–%.2f)", median(ratios), slices.Min(ratios), slices.Max(ratios))
		}
		fmt.Fprintf(&b, "| %s | "+x.format+" | "+x.format+" | %s |\n", x.name, median(ours), median(theirs), shown)
	}
	fmt.Fprintf(&b, "\nThe last pair's Redis commands per turn: roundtable %s; peer %s.\n", commands(r.ours[len(r.ours)-1]), commands(r.theirs[len(r.theirs)-1]))
	fmt.Fprintf(&b, "Its Web API calls per turn: roundtable %s; peer %s.\n", methods(r.ours[len(r.ours)-1]), methods(r.theirs[len(r.theirs)-1]))
	return b.String()
}

func values(runs []figures, value func(figures) float64) []float64 {
	out := make([]float64, len(runs))
	for i, f := range runs {
		out[i] = value(f)
	}
	return out
}

// conditions say under what the figures came about.
func conditions(s settings) string {
	mix := "every message asks one persona"
	if s.load.group > 0 {
		mix = fmt.Sprintf("one message in %d asks all three personas, the others one", s.load.group)
	}
	return fmt.Sprintf("%s, %s/%s, %d processors shared by the bot, Redis (append-only file, fsync %s), the local workspace and the crowd; "+
		"%d discussions in as many channels, which ask for up to %.0f turns a second, %d people in each, offline personas without a pace; %s; "+
		"warnings alone are logged, and the workspace collects no garbage meanwhile; measured for %s after %s.\n\n",
		time.Now().UTC().Format("2 January 2006"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), s.fsync,
		s.load.discussions, float64(s.load.discussions)/breath.Seconds(), s.load.people, mix, s.load.span, s.load.warm)
}

// commands lists the Redis commands of a turn, the most frequent first.
func commands(f figures) string { return frequent(f, f.redis.commands) }

// methods lists the Web API calls of a turn.
func methods(f figures) string { return frequent(f, f.tally.calls) }

func frequent[N int | int64](f figures, counts map[string]N) string {
	type named struct {
		name string
		n    float64
	}
	var all []named
	for name, n := range counts {
		if per := f.each(int64(n)); per >= 0.05 {
			all = append(all, named{name, per})
		}
	}
	slices.SortFunc(all, func(a, b named) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.name, b.name)) })
	parts := make([]string, len(all))
	for i, x := range all {
		parts[i] = fmt.Sprintf("%s %.1f", x.name, x.n)
	}
	return strings.Join(parts, ", ")
}

// preamble begins a report that does not exist yet.
const preamble = "# What it costs\n\nThe figures below are written by `make bench` and `make peers` with `REPORT=docs/bench.md`, and by nobody else.\n"

// replaceSection puts a section in the place of the former one of that name, or at
// the end.
func replaceSection(file, name, section string) error {
	old, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte(preamble), os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	begin, end := []byte("\n<!-- "+name+" -->\n"), []byte("\n<!-- end of "+name+" -->\n")
	head, rest, found := bytes.Cut(old, begin)
	var tail []byte
	if found {
		if _, tail, found = bytes.Cut(rest, end); !found {
			return fmt.Errorf("write the report: section %s of %s has no end", name, file)
		}
	}
	if err := os.WriteFile(file, slices.Concat(head, begin, []byte(section), end, tail), 0o644); err != nil { //nolint:gosec // a document that everybody may read
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
