// Package manifests holds what a deployment may change without touching code:
// the personas, who leads which phase, the steps of the analysis, and the Slack
// app manifest. The files are embedded; a directory overrides them file by file.
// All of it is read strictly and checked as a whole before anything starts; only
// a step file that is broken does not keep anything from starting.
//
// It is not a configuration of the program (addresses, limits and tokens come
// from elsewhere), and it knows no persona by name.
package manifests

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

//go:embed personas/*.yaml phases.yaml slack-app.json steps
var embedded embed.FS

// The files of a set, besides those in personaDir.
const (
	personaDir = "personas"
	phasesFile = "phases.yaml"
	slackFile  = "slack-app.json"
)

// Set is everything that was read.
type Set struct {
	// Roster is the cast and the leads of the phases.
	Roster persona.Roster
	// Steps are the steps of the analysis and what was found in their files.
	Steps Steps
	// SlackApp is the Slack app manifest, JSON.
	SlackApp []byte
}

// Load reads the embedded files, each replaced by the file of the same name in
// overrides if there is one; overrides may hold further personas and may be nil.
// The error joins every problem found, each with its file and line; the set is
// then empty.
//
// A further persona is one more file under personas/. A wholly different cast is
// a file for each and a phases.yaml whose "cast" names them.
func Load(overrides fs.FS) (Set, error) {
	src := source{overrides: overrides}
	var problems problems

	names, err := src.personaFiles()
	if err != nil {
		return Set{}, err
	}
	var read []personaFile
	for _, name := range names {
		if p, ok := readPersona(src, name, &problems); ok {
			read = append(read, p)
		}
	}
	phases, phasesOK := readPhases(src, &problems)
	slack := readSlack(src, &problems)
	if !phasesOK {
		return Set{}, problems.join()
	}

	cast := phases.choose(read, len(read) == len(names), &problems)
	checkCast(cast, &problems)
	roster := persona.Roster{Phases: phases.Phases, Default: phases.Default}
	for _, p := range cast {
		roster.Personas = append(roster.Personas, p.persona)
	}
	// A persona that could not be read is one problem, not a second one for
	// each phase that it leads.
	if len(read) == len(names) {
		phases.check(roster, &problems)
	}
	steps, err := readSteps(src, roster, len(read) == len(names))
	if err != nil {
		problems.add(err)
	}
	if len(problems.errs) > 0 {
		for _, r := range steps.Faults() { // so that all can be mended at once
			problems.add(errors.New(r.String()))
		}
		return Set{}, problems.join()
	}
	return Set{Roster: roster, Steps: steps, SlackApp: slack}, nil
}

// source is the embedded files under the overriding ones.
type source struct{ overrides fs.FS }

// open returns the overriding file if there is one, else the embedded one.
func (s source) open(name string) (fs.File, error) {
	if s.overrides != nil {
		f, err := s.overrides.Open(name)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return embedded.Open(name)
}

// layers are the folders to list: the embedded one and, if there is one, the
// overriding one.
func (s source) layers() []fs.FS {
	if s.overrides == nil {
		return []fs.FS{embedded}
	}
	return []fs.FS{embedded, s.overrides}
}

// read returns at most maxSize bytes of a file, or a problem.
func (s source) read(name string) ([]byte, error) {
	f, err := s.open(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	defer func() { _ = f.Close() }() // only read
	b, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(b) > maxSize {
		return nil, problem(name, 1, "is larger than %d KiB", maxSize/1024)
	}
	return b, nil
}

// personaFiles returns the names of all persona files, sorted: the embedded ones
// and those that overrides adds.
func (s source) personaFiles() ([]string, error) {
	var names []string
	for _, layer := range s.layers() {
		entries, err := fs.ReadDir(layer, personaDir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list %s: %w", personaDir, err)
		}
		for _, e := range entries {
			name := path.Join(personaDir, e.Name())
			switch {
			case strings.HasSuffix(name, ".yaml"):
				names = append(names, name)
			case strings.HasSuffix(name, ".yml"):
				// Left unread it would look like a persona that never speaks.
				return nil, problem(name, 1, `must end in ".yaml" to be read`)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// readSlack returns the Slack app manifest. Whether Slack accepts it is Slack's
// to say; here it must be one JSON object.
func readSlack(src source, p *problems) []byte {
	b, err := src.read(slackFile)
	if err != nil {
		p.add(err)
		return nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(b, &object); err != nil {
		line := 1
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			line = lineAt(b, int(syntax.Offset))
		}
		p.add(problem(slackFile, line, "is not a JSON object: %v", err))
		return nil
	}
	return b
}
