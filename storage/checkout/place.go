package checkout

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// The forms of what an item's place is made of. Slack's ids and our slugs have
// them; whatever else came could be a path.
var (
	slackID  = regexp.MustCompile(`^[A-Za-z0-9]{1,32}$`)
	itemSlug = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
)

func checkChannel(team, channel string) error {
	if !slackID.MatchString(team) || !slackID.MatchString(channel) {
		return errors.New("an item needs a team and a channel")
	}
	return nil
}

func checkRef(ref engine.ItemRef) error {
	if !itemSlug.MatchString(ref.Slug) {
		return ref.Discreet(fmt.Errorf("%q is no item's name", ref.Slug))
	}
	return checkChannel(ref.Team, ref.Channel)
}

// places are the folders that an item may have, the first that is free: its own
// name, and the same with its channel where another channel has that folder (I12).
func places(ref engine.ItemRef) []string {
	channel := ref.Slug + "-" + strings.ToLower(ref.Channel)
	return []string{ref.Slug, channel, channel + "-" + strings.ToLower(ref.Team)}
}

// private notes the names in an error about an item: its own, its folder's, and those
// of files.
func private(ref engine.ItemRef, err error, files ...string) error {
	names := append(places(ref), ref.Slug)
	for _, file := range files {
		names = append(names, file, strings.TrimPrefix(path.Dir(file), "."))
	}
	return engine.Discreet(err, slices.DeleteFunc(names, func(name string) bool { return name == "" })...)
}

// find says which folder an item is, with its record, or which it would be.
func (s *Store) find(ref engine.ItemRef) (name string, r *record, err error) {
	free := ""
	for _, name := range places(ref) {
		r, err := s.load(name)
		switch {
		case err != nil:
			return "", nil, err
		case r != nil && r.of(ref):
			return name, r, nil
		case r == nil && free == "":
			free = name
		}
	}
	if free == "" {
		return "", nil, barred("other channels have all the folders that %s could be", ref.Slug)
	}
	return free, nil, nil
}

// records gives the folders that channels have, with their records. One that cannot
// be read must not hide the others.
func (s *Store) records(each func(name string, r *record)) error {
	entries, err := s.tree.ReadDir(bookkeeping)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the records: %w", err)
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), recordSuffix)
		if !ok || name == "" {
			continue
		}
		r, err := s.load(name)
		switch {
		case err != nil:
			s.log.Warn("record not read", "folder", engine.Private(name), "error", engine.Discreet(err, name))
		case r != nil:
			each(name, r)
		}
	}
	return nil
}
