package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// stepsDir holds one folder for each phase, named by its key, with its step
// files.
const stepsDir = "steps"

// Steps are the step files of a set. A file that cannot be used keeps no other
// from being used, and nothing from starting (FR-012, AC-012-01).
type Steps struct {
	Catalogue analysis.Catalogue
	// Remarks are what was found in the files, sorted by file and line.
	Remarks []StepRemark
}

// Faults are the remarks by which a step is lost.
func (s Steps) Faults() []StepRemark {
	var faults []StepRemark
	for _, r := range s.Remarks {
		if r.Fault {
			faults = append(faults, r)
		}
	}
	return faults
}

// StepRemark is something in a step file that whoever keeps it should know.
type StepRemark struct {
	// File is the path below the folder of the manifests; Line counts from 1, and
	// is 0 for what concerns a whole folder.
	File string
	Line int
	Text string
	// Fault is set when a step is lost by it; otherwise the step is used as it is.
	Fault bool
	// Warning is the sentence for the log where its words are prescribed (AC-012-01).
	Warning string
}

// String is the remark as "file:line: text".
func (r StepRemark) String() string {
	kind := ""
	if !r.Fault {
		kind = "warning: "
	}
	if r.Line == 0 {
		return fmt.Sprintf("%s: %s%s", r.File, kind, r.Text)
	}
	return fmt.Sprintf("%s:%d: %s%s", r.File, r.Line, kind, r.Text)
}

// stepReader reads step files and gathers what is to be said of them.
type stepReader struct {
	src    source
	roster persona.Roster
	// whole is false when some persona could not be read, so that one that is
	// missing is no news.
	whole   bool
	remarks []StepRemark
}

// readSteps reads the step files of all phases of the roster; whole is false when
// the roster lacks personas that could not be read.
func readSteps(src source, roster persona.Roster, whole bool) (Steps, error) {
	r := &stepReader{src: src, roster: roster, whole: whole}
	var files []analysis.StepFile
	for _, phase := range roster.Phases {
		names, err := r.names(phase.Key)
		if err != nil {
			return Steps{}, err
		}
		for _, name := range names {
			if f, ok := r.read(phase.Key, name); ok {
				files = append(files, f)
			}
		}
	}
	if err := r.strangers(); err != nil {
		return Steps{}, err
	}
	catalogue, repeated, _ := analysis.NewCatalogue(roster.Phases, files)
	r.judge(catalogue, repeated)
	slices.SortStableFunc(r.remarks, func(a, b StepRemark) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		return a.Line - b.Line
	})
	return Steps{Catalogue: catalogue, Remarks: r.remarks}, nil
}

func (r *stepReader) fault(file string, line int, format string, args ...any) {
	r.remarks = append(r.remarks, StepRemark{File: file, Line: line, Text: fmt.Sprintf(format, args...), Fault: true})
}

func (r *stepReader) warn(file string, line int, format string, args ...any) {
	r.remarks = append(r.remarks, StepRemark{File: file, Line: line, Text: fmt.Sprintf(format, args...)})
}

// names are the names of a phase's step files in both layers, sorted. What does
// not end in .md is no step file (AC-004-04).
func (r *stepReader) names(phase string) ([]string, error) {
	var names []string
	for _, layer := range r.src.layers() {
		entries, err := fs.ReadDir(layer, path.Join(stepsDir, phase))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list the steps of %s: %w", phase, err)
		}
		for _, e := range entries {
			if !e.IsDir() && strings.HasSuffix(e.Name(), ".md") {
				names = append(names, e.Name())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// strangers warns of folders that are no phase: their files are never read.
func (r *stepReader) strangers() error {
	for _, layer := range r.src.layers() {
		entries, err := fs.ReadDir(layer, stepsDir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("list the steps: %w", err)
		}
		for _, e := range entries {
			name := path.Join(stepsDir, e.Name())
			known := slices.ContainsFunc(r.roster.Phases, func(p persona.Phase) bool { return p.Key == e.Name() })
			switch {
			case e.IsDir() && !known:
				r.warn(name, 0, "%q is no phase of %s; its files are not read", e.Name(), phasesFile)
			case !e.IsDir() && strings.HasSuffix(e.Name(), ".md"):
				r.fault(name, 1, "a step file must stand in the folder of its phase")
			}
		}
	}
	return nil
}

// read reads one step file; ok is false when it cannot be used.
func (r *stepReader) read(phase, name string) (f analysis.StepFile, ok bool) {
	file := path.Join(stepsDir, phase, name)
	before := len(r.remarks)
	if b, err := r.src.read(file); err != nil {
		r.addProblem(file, err)
	} else {
		f = r.parse(file, phase, b)
	}
	for _, remark := range r.remarks[before:] {
		if remark.Fault {
			r.remarks[before].Warning = invalidStep(name)
			return analysis.StepFile{}, false
		}
	}
	f.File = path.Join(phase, name)
	return f, true
}

// parse takes a file apart. Its remarks tell whether the result can be used.
func (r *stepReader) parse(file, phase string, b []byte) analysis.StepFile {
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	front, body, bodyLine, ok := splitFront(b)
	if !ok {
		r.fault(file, 1, "must begin with front matter: a line ---, keys and values, and another line ---")
		return analysis.StepFile{}
	}
	var p problems
	root := parse(file, front, &p)
	for _, err := range p.errs {
		r.addProblem(file, err)
	}
	if root == nil {
		return analysis.StepFile{}
	}
	m := &frontMatter{file: file, root: root, remarks: r}
	f := m.step(phase)
	if at := firstBad(body); at >= 0 {
		r.fault(file, bodyLine+lineAt(body, at)-1, "is not UTF-8")
		return f
	}
	var remarks []analysis.Remark
	f.Body, remarks = analysis.ParseBody(string(body))
	for _, remark := range remarks {
		r.warn(file, bodyLine+remark.Line-1, "%s", remark.Text)
	}
	for _, t := range f.Body.Targets {
		if len(f.Outputs) > 0 && !slices.Contains(f.Outputs, t.File) {
			r.warn(file, bodyLine, "the section %q fills %s, which is none of the outputs", "Artifacts", t.File)
		}
	}
	f.Body.Targets = slices.DeleteFunc(f.Body.Targets, func(t analysis.Target) bool { return !slices.Contains(f.Outputs, t.File) })
	return f
}

// splitFront cuts a file at its front matter. front keeps the place of its lines,
// the first one blanked, so that the lines of problems are the file's.
func splitFront(b []byte) (front, body []byte, bodyLine int, ok bool) {
	line := 1
	at := 0
	for rest := range bytes.Lines(b) {
		mark := string(bytes.TrimRight(rest, " \t\r\n")) == "---"
		switch {
		case line == 1 && !mark:
			return nil, nil, 0, false
		case line > 1 && mark:
			first := bytes.IndexByte(b, '\n')
			return slices.Concat([]byte("\n"), b[first+1:at]), b[at+len(rest):], line + 1, true
		}
		at += len(rest)
		line++
	}
	return nil, nil, 0, false
}

// addProblem takes a problem of strict reading, whose text begins with the file
// and mostly the line.
func (r *stepReader) addProblem(file string, err error) {
	text := err.Error()
	line := 1
	if rest, ok := strings.CutPrefix(text, file+":"); ok {
		if n, scanErr := fmt.Sscanf(rest, "%d:", &line); n == 1 && scanErr == nil {
			_, text, _ = strings.Cut(rest, ": ")
		}
	}
	r.fault(file, line, "%s", text)
}

// judge says what only shows when all steps are read.
func (r *stepReader) judge(c analysis.Catalogue, repeated []analysis.StepFile) {
	for _, f := range repeated {
		first, _, _ := c.Step(f.ID)
		r.remarks = append(r.remarks, StepRemark{
			File: path.Join(stepsDir, f.File), Line: 1, Fault: true,
			Text:    fmt.Sprintf("the step id %q is that of %s, which comes first", f.ID, path.Join(stepsDir, first.File)),
			Warning: fmt.Sprintf("Step file %s repeats step %s of %s. Skipping.", path.Base(f.File), f.ID, path.Base(first.File)),
		})
	}
	endless := c.Endless()
	for _, p := range c.Phases {
		if len(p.Steps) == 0 {
			r.remarks = append(r.remarks, StepRemark{
				File: path.Join(stepsDir, p.Key), Text: "has no step that can be used; the phase counts as complete", Warning: analysis.EmptyPhaseWarning(p.Key),
			})
		}
		for _, f := range p.Steps {
			if why, ok := endless[f.ID]; ok {
				r.fault(path.Join(stepsDir, f.File), 1, "step %s never runs: it %s", f.ID, why)
			}
		}
	}
}

// invalidStep is the sentence for the log, in prescribed words (AC-012-01).
func invalidStep(name string) string {
	return fmt.Sprintf("Step file %s has invalid frontmatter. Skipping.", name)
}
