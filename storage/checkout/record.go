package checkout

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// The names inside the directory that are ours. No slug has a dot.
const (
	bookkeeping  = ".roundtable"
	lockFile     = bookkeeping + "/lock"
	nextRecord   = bookkeeping + "/next"
	ignoreFile   = bookkeeping + "/.gitignore"
	recordSuffix = ".json"
)

func recordFile(folder string) string { return bookkeeping + "/" + folder + recordSuffix }
func stagedDir(folder string) string  { return bookkeeping + "/" + folder + ".staged" }
func asideDir(folder string) string   { return bookkeeping + "/" + folder + ".forgotten" }

// recordForm is the form of a record, and forgottenForm that of one whose item is
// forgotten and can still be taken back: a version that does not know of that would show
// it. A newer form is refused, never guessed at.
const (
	recordForm    = 1
	forgottenForm = 2
)

// recordLimit bounds a record, so that a wrong file cannot fill the memory.
const recordLimit = 64 << 20

// record is what is known of a folder and cannot stand in it.
type record struct {
	Form int `json:"form"`
	// Team, Channel and Slug are the item that the folder is.
	Team    string `json:"team"`
	Channel string `json:"channel"`
	Slug    string `json:"slug"`
	// Applied has the result of each change by its key.
	Applied map[string][]byte `json:"applied,omitempty"`
	// Landed has, by the key of a change that was given up half-way, the files
	// that have it.
	Landed map[string][]string `json:"landed,omitempty"`
	// Pending is the change that is being made.
	Pending *pending `json:"pending,omitempty"`
	// Openers are the ids of those who opened what the item came from, sorted.
	Openers []string `json:"openers,omitempty"`
	// Forgotten is set while the item is out of sight.
	Forgotten *forgotten `json:"forgotten,omitempty"`
}

// forgotten says which forgetting put an item out of sight, and what is to be removed:
// the digests of its files by name. What somebody edits after that is theirs, and stays.
// Sealed is set once the item is being removed: then nothing is written into it.
type forgotten struct {
	Key    string            `json:"key"`
	Files  map[string]string `json:"files"`
	Sealed bool              `json:"sealed,omitempty"`
}

// pending is a change that will be made, whoever completes it.
type pending struct {
	Key    string   `json:"key"`
	Result []byte   `json:"result"`
	Files  []change `json:"files"`
}

// change is one file of it.
type change struct {
	Name string `json:"name"`
	// Was and Now are digests of what is replaced and of what replaces it; Was is
	// empty where there is no file yet.
	Was string `json:"was"`
	Now string `json:"now"`
	// Staged is the new file's name in the folder's stagedDir.
	Staged string `json:"staged"`

	perm    fs.FileMode
	content []byte
}

// staged is the form of a staged file's name.
var staged = regexp.MustCompile(`^\d{1,4}$`)

// check refuses a pending change that would write outside its item (I12).
func (p *pending) check() error {
	if p == nil {
		return nil
	}
	for _, c := range p.Files {
		if err := document.CheckArtifactName(c.Name); err != nil && c.Name != document.MetaName {
			return engine.Discreet(fmt.Errorf("pending file %q: %w", c.Name, err), c.Name)
		}
		if !staged.MatchString(c.Staged) {
			return engine.Discreet(fmt.Errorf("%q is no staged file", c.Staged), c.Staged)
		}
	}
	return nil
}

// check refuses a record that would have something else removed than an item's files (I12).
func (f *forgotten) check() error {
	if f == nil {
		return nil
	}
	for name := range f.Files {
		if err := document.CheckArtifactName(name); err != nil && name != document.MetaName {
			return fmt.Errorf("forgotten file %q: %w", name, err)
		}
	}
	return nil
}

func newRecord(ref engine.ItemRef) *record {
	return &record{Form: recordForm, Team: ref.Team, Channel: ref.Channel, Slug: ref.Slug}
}

func (r *record) of(ref engine.ItemRef) bool {
	return r.Team == ref.Team && r.Channel == ref.Channel && r.Slug == ref.Slug
}

// applied reports whether the change of a key was made.
func (r *record) applied(key string) bool {
	_, done := r.Applied[key]
	return key != "" && done
}

// complete notes that the pending change is made.
func (r *record) complete() {
	if p := r.Pending; p.Key != "" {
		if r.Applied == nil {
			r.Applied = make(map[string][]byte)
		}
		r.Applied[p.Key] = p.Result
		delete(r.Landed, p.Key)
	}
	r.Pending = nil
}

// giveUp notes that the pending change is made in some files only.
func (r *record) giveUp(landed []string) {
	if key := r.Pending.Key; key != "" {
		if r.Landed == nil {
			r.Landed = make(map[string][]string)
		}
		for _, name := range landed {
			if !slices.Contains(r.Landed[key], name) {
				r.Landed[key] = append(r.Landed[key], name)
			}
		}
	}
	r.Pending = nil
}

// load reads the record of a folder, nil if it has none.
func (s *Store) load(folder string) (*record, error) {
	text, err := s.tree.Read(recordFile(folder), recordLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the record of %s: %w", folder, err)
	}
	var r record
	err = json.Unmarshal(text, &r)
	switch {
	case err == nil && r.Form < recordForm:
		err = errors.New("it is no record")
	case err == nil && r.Form <= forgottenForm:
		err = errors.Join(r.Pending.check(), r.Forgotten.check())
	}
	switch {
	case err != nil:
		return nil, barred("%s is damaged (%w); put it back from a copy, or remove it, and the first channel that works on %s has it", recordFile(folder), err, folder)
	case r.Form > forgottenForm:
		return nil, barred("%s is of form %d, which a newer version wrote; this one knows form %d", recordFile(folder), r.Form, forgottenForm)
	}
	return &r, nil
}

// save replaces the record of a folder. After an error either may stand.
func (s *Store) save(folder string, r *record) error {
	r.Form = recordForm
	if r.Forgotten != nil {
		r.Form = forgottenForm
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the record of %s: %w", folder, err)
	}
	if err := s.tree.Remove(nextRecord); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clear the way for a record: %w", err)
	}
	if err := s.tree.Create(nextRecord, 0, append(text, '\n')); err != nil {
		return fmt.Errorf("write the record of %s: %w", folder, err)
	}
	if err := s.tree.Rename(nextRecord, recordFile(folder)); err != nil {
		return fmt.Errorf("replace the record of %s: %w", folder, err)
	}
	if err := s.tree.Sync(bookkeeping); err != nil {
		return fmt.Errorf("sync the record of %s: %w", folder, err)
	}
	return nil
}
