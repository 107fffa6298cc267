package analysis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// File is a file of an item as a Write leaves it.
type File struct {
	Name    string
	Content []byte
}

// Fill performs a Write on an item's files: every part is added to its artifact,
// and no byte of any is lost (NFR-004, I8). lookup returns a file of the item. A
// list or rows whose artifact is not what its name says take a note beside it, as
// an elaboration's synthesis does. The changes are for the announcement. proceed is
// asked before each reading of a document; its error ends the filling.
func Fill(lookup func(name string) ([]byte, bool), w Write, proceed func() error) (files []File, changes []thread.ArtifactChange, err error) {
	written := func(name string) ([]byte, bool) {
		for _, f := range files {
			if f.Name == name {
				return f.Content, true
			}
		}
		return lookup(name)
	}
	for _, p := range w.Parts {
		add, err := p.added(written, w, proceed)
		if err != nil {
			return nil, nil, fmt.Errorf("fill %s: %w", p.File, err)
		}
		for _, a := range add {
			files = slices.DeleteFunc(files, func(f File) bool { return f.Name == a.file.Name })
			files = append(files, a.file)
			changes = append(changes, a.change)
		}
	}
	return files, changes, nil
}

// addition is one file after one part.
type addition struct {
	file   File
	change thread.ArtifactChange
}

// added adds one part.
func (p Part) added(lookup func(string) ([]byte, bool), w Write, proceed func() error) ([]addition, error) {
	if err := document.CheckArtifactName(p.File); err != nil {
		return nil, err
	}
	old, exists := lookup(p.File)
	var result []byte
	var what string
	body, section := p.Content, p.Name
	switch p.Part {
	case PartList:
		result, what = appendList(old, exists, p.Name, p.Content)
		body = fenced(p.Content)
	case PartRows:
		result, what = appendRows(old, Target{Name: p.Name}.Columns(), p.Content)
		body, section = fenced(p.Content), titled(strings.ReplaceAll(documentName(p.File), " ", "-"))
	case PartSection:
	}
	if result != nil {
		return []addition{{File{p.File, result}, thread.ArtifactChange{File: p.File, Section: section, Added: what, Created: !exists}}}, nil
	}
	merged, err := document.Enrich(lookup, p.File, document.Insertion{
		Title: p.Name, Named: true, StepID: w.Step, Time: w.Time.UTC().Format(time.RFC3339), Body: body, Proceed: proceed,
	})
	if err != nil {
		return nil, err
	}
	var add []addition
	for _, f := range merged {
		add = append(add, addition{File{f.Name, f.Content}, thread.ArtifactChange{
			File: f.Name, Section: f.Change.Heading, Added: "what step " + w.Step + " came to", Created: f.Change.Placement == document.NewDocument,
		}})
	}
	return add, nil
}

// fenced shows a text as it is.
func fenced(s string) string { return "```\n" + s + "\n```" }

// Apply notes a Record in an item's meta.json.
func (r Record) Apply(meta *document.Meta) error {
	if r.Step != "" {
		if _, err := meta.AppendStep(r.Step); err != nil {
			return fmt.Errorf("record step %s: %w", r.Step, err)
		}
	}
	for _, phase := range r.Phases {
		if _, err := meta.AppendPhase(phase); err != nil {
			return fmt.Errorf("record phase %s: %w", phase, err)
		}
	}
	if r.Depth != "" {
		if _, err := meta.SetDepthOverride(r.Phase, string(r.Depth)); err != nil {
			return fmt.Errorf("record the depth of phase %s: %w", r.Phase, err)
		}
	}
	return nil
}
