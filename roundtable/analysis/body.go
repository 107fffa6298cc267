package analysis

import (
	"fmt"
	"regexp"
	"strings"
)

// Body is what a step file says below its front matter.
type Body struct {
	// Modes holds the sections Brief, Standard and Deep Mode, those that are there.
	Modes map[Depth]Mode
	// Whole is the entire text, for a file without modes.
	Whole string
	// Criteria are those of the Validation section; Targets those of Artifacts.
	Criteria []Criterion
	Targets  []Target
}

// Mode is how a step is gone through at one depth.
type Mode struct {
	// Guidance is for whoever asks, Prompts what to ask, in order.
	Guidance string   `json:"guidance,omitempty"`
	Prompts  []string `json:"prompts"`
}

// Mode returns the section for a depth, by the prescribed chain (FR-012): the
// section itself, else Standard Mode, else the whole text.
func (b Body) Mode(d Depth) Mode {
	for _, key := range []Depth{d, Standard} {
		if m, ok := b.Modes[key]; ok {
			return m
		}
	}
	return readMode(b.Whole)
}

// Remark is something that whoever keeps a step file should know. Line counts
// from 1 within the text that was read.
type Remark struct {
	Line int
	Text string
}

// section is a part of a body under a heading of level 2.
type section struct {
	name string
	line int // of its heading
	text string
}

const (
	validationName = "validation"
	artifactsName  = "artifacts"
)

var modeNames = map[string]Depth{"brief mode": Brief, "standard mode": Standard, "deep mode": Deep}

// ParseBody reads the text of a step file below its front matter (FR-012).
// It never fails: what is missing or odd is a remark, and a body without any
// known section is one whole text.
func ParseBody(text string) (Body, []Remark) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	b := Body{Modes: map[Depth]Mode{}, Whole: strings.TrimSpace(text)}
	var remarks []Remark
	remark := func(line int, format string, args ...any) {
		remarks = append(remarks, Remark{line, fmt.Sprintf(format, args...)})
	}
	first := map[string]int{}
	for _, s := range sections(text) {
		key := strings.ToLower(s.name)
		depth, isMode := modeNames[key]
		if !isMode && key != validationName && key != artifactsName {
			remark(s.line, "the section %q is not one of a step file and is not read", s.name)
			continue
		}
		if line, seen := first[key]; seen {
			remark(s.line, "the section %q stands at line %d already; this one is not read", s.name, line)
			continue
		}
		first[key] = s.line
		switch {
		case strings.TrimSpace(s.text) == "":
			remark(s.line, "the section %q is empty", s.name)
		case isMode:
			if m := readMode(s.text); len(m.Prompts) > 0 {
				b.Modes[depth] = m
			} else {
				remark(s.line, "the section %q asks nothing", s.name)
			}
		case key == validationName:
			b.Criteria = readCriteria(s.text)
			if len(b.Criteria) == 0 {
				remark(s.line, "the section %q lists no criterion", s.name)
			}
		default:
			var faults []Remark
			b.Targets, faults = readTargets(s.text)
			for _, f := range faults {
				remark(s.line+f.Line, "%s", f.Text)
			}
		}
	}
	switch _, standard := first["standard mode"]; {
	case b.Whole == "":
		remark(1, "nothing stands below the front matter")
	case len(b.Modes) == 0:
		remark(1, "there is no section with a mode; the whole text is used at every depth")
	case !standard:
		remark(1, "there is no section %q to fall back on", "Standard Mode")
	}
	if _, ok := first[validationName]; !ok {
		remark(1, "there is no section %q; the step is complete as soon as it was talked about", "Validation")
	}
	if _, ok := first[artifactsName]; !ok {
		remark(1, "there is no section %q; what was said goes below a heading with the step's title", "Artifacts")
	}
	return b, remarks
}

var (
	heading = regexp.MustCompile(`^ {0,3}##[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	fence   = regexp.MustCompile("^ {0,3}(```+|~~~+)")
)

// sections cuts a text at its headings of level 2 that stand outside of fences.
func sections(body string) []section {
	var out []section
	var text strings.Builder // of the last section
	end := func() {
		if len(out) > 0 {
			out[len(out)-1].text = text.String()
		}
		text.Reset()
	}
	open := ""
	for n, line := range strings.Split(body, "\n") {
		if m := fence.FindStringSubmatch(line); m != nil {
			switch {
			case open == "":
				open = m[1]
			case strings.HasPrefix(m[1], open):
				open = ""
			}
		}
		if m := heading.FindStringSubmatch(line); m != nil && open == "" {
			end()
			out = append(out, section{name: strings.TrimSpace(m[1]), line: n + 1})
			continue
		}
		text.WriteString(line + "\n")
	}
	end()
	return out
}

// item is a list item at the left edge: its own text, and the indented lines
// below it as they are.
type item struct {
	line  int // from 1
	text  string
	below []string
}

var bullet = regexp.MustCompile(`^(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)$`)

// items reads a text's list items at the left edge, and what stands between them.
func items(text string) (list []item, prose string) {
	var between []string
	inItem := false
	for n, line := range strings.Split(text, "\n") {
		m := bullet.FindStringSubmatch(line)
		switch {
		case m != nil:
			list = append(list, item{line: n + 1, text: m[1]})
			inItem = true
		case strings.TrimSpace(line) == "":
			between = append(between, "")
		case inItem && strings.HasPrefix(line, " "):
			last := &list[len(list)-1]
			last.below = append(last.below, line)
		default:
			inItem = false
			between = append(between, strings.TrimSpace(line))
		}
	}
	return list, strings.TrimSpace(strings.Join(between, "\n"))
}

// readMode takes list items for prompts and the rest for guidance. Without any
// list each paragraph is a prompt.
func readMode(text string) Mode {
	list, prose := items(text)
	m := Mode{Guidance: uncommented(prose)}
	for _, i := range list {
		if p := uncommented(i.text + " " + strings.Join(i.below, " ")); p != "" {
			m.Prompts = append(m.Prompts, p)
		}
	}
	if len(m.Prompts) > 0 {
		return m
	}
	m.Guidance = ""
	for paragraph := range strings.SplitSeq(prose, "\n\n") {
		if p := uncommented(paragraph); p != "" && !strings.HasPrefix(p, "#") {
			m.Prompts = append(m.Prompts, p)
		}
	}
	return m
}

var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// uncommented is a text on one line, without its comments.
func uncommented(s string) string {
	return strings.Join(strings.Fields(comment.ReplaceAllString(s, " ")), " ")
}
