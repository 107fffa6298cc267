package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FileChange is one file of an item after Enrich.
type FileChange struct {
	Name    string
	Content []byte
	Change  Change
}

// NoteSuffix is what a note beside an artifact adds to the artifact's name.
const NoteSuffix = ".elaborations.md"

// elaborationsKey is the member of a JSON artifact that takes insertions, and
// the member of meta.json that takes records.
const elaborationsKey = "elaborations"

// Enrich adds in to the output of a step in the form its kind allows (FR-008):
// Markdown is merged; a JSON object gets an element in its member
// "elaborations"; anything that an addition could break (CSV, YAML, a JSON
// array, a file that is not what its name says), and a document that is too
// intricate or too long to be read in time, gets a Markdown note beside
// it, named with NoteSuffix, and stays untouched. A missing artifact is
// created, as itself where that is possible. Repeating a call on its own
// result changes nothing (AlreadyThere).
//
// lookup returns a file of the item by name. The names in the result are
// output or output+NoteSuffix, so both must be acceptable to CheckArtifactName.
func Enrich(lookup func(name string) ([]byte, bool), output string, in Insertion) ([]FileChange, error) {
	for _, name := range []string{output, output + NoteSuffix} {
		if err := CheckArtifactName(name); err != nil {
			return nil, fmt.Errorf("enrich %q: %w", output, err)
		}
	}
	if err := in.check(); err != nil {
		return nil, fmt.Errorf("enrich %s: %w", output, err)
	}
	old, exists := lookup(output)
	switch strings.ToLower(path.Ext(output)) {
	case ".md", ".markdown":
		if isText(old) {
			change, err := mergeFile(output, old, in)
			if !errors.Is(err, ErrNoSafePlace) && !errors.Is(err, ErrTooIntricate) {
				return change, err
			}
		}
	case ".json":
		change, done, err := mergeJSON(output, old, exists, in)
		if done || err != nil {
			return change, err
		}
	}
	note := output + NoteSuffix
	in.DocumentTitle = "Elaborations of " + output
	beside, _ := lookup(note)
	return mergeFile(note, beside, in)
}

func mergeFile(name string, old []byte, in Insertion) ([]FileChange, error) {
	if in.DocumentTitle == "" {
		in.DocumentTitle = titleFromName(name)
	}
	merged, change, err := MergeOnce(old, in)
	if err != nil {
		return nil, fmt.Errorf("enrich %s: %w", name, err)
	}
	return []FileChange{{Name: name, Content: merged, Change: change}}, nil
}

// mergeJSON adds to a JSON object; done is false if the file is no object or
// its member "elaborations" is taken for something else.
func mergeJSON(name string, old []byte, exists bool, in Insertion) (changes []FileChange, done bool, err error) {
	body := prepareBody(in.Body)
	if len(body.parts) == 0 {
		return nil, false, fmt.Errorf("enrich %s: %w", name, ErrNothingToAdd)
	}
	change := Change{Placement: InSection, Heading: elaborationsKey}
	source := old
	if !exists {
		source, change.Placement = []byte("{}\n"), NewDocument
	}
	if checkJSON(source) != nil {
		return nil, false, nil
	}
	fields := []field{
		{"step_id", quote(in.StepID)},
		{"title", quote(collapse(in.Title))},
		{"timestamp", quote(in.Time)},
		{"content", quote(body.rebase(1, lastLevel))},
	}
	o := readObject(source, skipSpace(source, jsonStart(source)))
	l := layoutOf(source, o)
	m, count := o.last(elaborationsKey)
	var add insertion
	switch {
	case count == 0:
		value := "[" + l.render(fields, "", false) + "]"
		if l.unit != "" {
			deep := l.unit + l.unit
			value = "[" + l.eol + deep + l.render(fields, deep, true) + l.eol + l.unit + "]"
		}
		add = l.newMember(source, o, "", elaborationsKey, value)
	case count > 1 || source[m.value.start] != '[':
		return nil, false, nil
	default:
		a := readArray(source, m.value.start)
		if at, found := findEntry(source, a, fields); found && !in.Another {
			change.Placement, change.Offset = AlreadyThere, at
			return []FileChange{{Name: name, Content: source, Change: change}}, true, nil
		}
		add = l.newElement(source, a, l.unit, true, func(indent string, lines bool) string {
			return l.render(fields, indent, lines)
		})
	}
	merged := add.into(source)
	change.Offset, change.Length = add.at, len(add.text)
	if !exists {
		change.Offset, change.Length = 0, len(merged)
	}
	return []FileChange{{Name: name, Content: merged, Change: change}}, true, nil
}

// findEntry looks for an element with exactly these fields.
func findEntry(source []byte, a array, fields []field) (at int, found bool) {
	for _, e := range a.elements {
		if source[e.start] != '{' {
			continue
		}
		o, same := readObject(source, e.start), 0
		for _, f := range fields {
			m, count := o.last(f.key)
			if count > 0 && sameString(source[m.value.start:m.value.end], []byte(f.value)) {
				same++
			}
		}
		if same == len(fields) {
			return e.start, true
		}
	}
	return 0, false
}

// sameString holds if two JSON texts are strings with the same characters.
func sameString(a, b []byte) bool {
	var x, y string
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x == y
}

// isText holds for what can be read as Markdown at all.
func isText(file []byte) bool {
	return utf8.Valid(file) && !strings.ContainsRune(string(file), 0)
}

// titleFromName makes a document's title of its file name:
// "requirements-spec.md" is "Requirements Spec".
func titleFromName(name string) string {
	base := path.Base(name)
	words := strings.FieldsFunc(strings.TrimSuffix(base, path.Ext(base)), func(r rune) bool {
		return r == '-' || r == '_' || unicode.IsSpace(r)
	})
	for i, w := range words {
		first, size := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(first)) + w[size:]
	}
	return strings.Join(words, " ")
}
