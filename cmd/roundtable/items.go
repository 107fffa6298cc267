package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
)

// metaName is the file of a folder that is not an artifact.
const metaName = document.MetaName

// parseItem reads TEAM/CHANNEL/ITEM.
func parseItem(arg string) (engine.ItemRef, error) {
	parts := strings.Split(arg, "/")
	if len(parts) != 3 || slices.Contains(parts, "") {
		return engine.ItemRef{}, usagef("%q does not name an item; expected TEAM/CHANNEL/ITEM, for example T024BE7LD/C061EG9SL/offline-mode", arg)
	}
	return engine.ItemRef{Team: parts[0], Channel: parts[1], Slug: parts[2]}, nil
}

// itemStore opens the store for a command that works on items.
func itemStore(ctx context.Context, s streams, name string, args []string, want int) (*storage.Redis, []string, error) {
	c, rest, err := configure(s, name, args, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	if len(rest) != want {
		return nil, nil, usagef("expected %d arguments, got %d", want, len(rest))
	}
	store, err := openStore(ctx, c, slog.New(slog.DiscardHandler))
	return store, rest, err
}

// runExport writes an item as a folder: its artifacts and meta.json, byte for
// byte. The folder must not exist, so that nothing is overwritten.
func runExport(ctx context.Context, s streams, args []string) (err error) {
	store, rest, err := itemStore(ctx, s, "export", args, 2)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	ref, err := parseItem(rest[0])
	if err != nil {
		return err
	}
	item, err := store.ReadItem(ctx, ref)
	if err != nil {
		return fmt.Errorf("read item %s: %w", rest[0], err)
	}
	if item.Version == 0 {
		return fmt.Errorf("there is no item %s; roundtable items %s/%s lists those there are", rest[0], ref.Team, ref.Channel)
	}
	files, err := writeFolder(rest[1], item)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%d files written to %s\n", files, rest[1])
	return err
}

func writeFolder(dir string, item engine.Item) (int, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return 0, fmt.Errorf("export: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, fmt.Errorf("export: %w", err)
	}
	defer root.Close()
	files := map[string][]byte{}
	for name, b := range item.Files {
		files[name] = b
	}
	if item.Meta != nil {
		files[metaName] = item.Meta
	}
	for name, b := range files {
		if name != metaName {
			if err := document.CheckArtifactName(name); err != nil {
				return 0, fmt.Errorf("export: %w", err)
			}
		}
		if d := path.Dir(name); d != "." {
			if err := root.Mkdir(filepath.FromSlash(d), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return 0, fmt.Errorf("export %s: %w", name, err)
			}
		}
		if err := root.WriteFile(filepath.FromSlash(name), b, 0o644); err != nil {
			return 0, fmt.Errorf("export %s: %w", name, err)
		}
	}
	return len(files), nil
}

// runImport reads a folder into a new item. It refuses an item that exists: an
// artifact never loses a byte.
func runImport(ctx context.Context, s streams, args []string) (err error) {
	store, rest, err := itemStore(ctx, s, "import", args, 2)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	ref, err := parseItem(rest[1])
	if err != nil {
		return err
	}
	if slug := document.Slug(ref.Slug); slug != ref.Slug {
		return usagef("%q is not an item's name; try %q", ref.Slug, slug)
	}
	write, err := readFolder(rest[0])
	if err != nil {
		return err
	}
	write.Key = "import/" + ref.Slug
	err = store.WriteItem(ctx, ref, write)
	if errors.Is(err, engine.ErrConflict) {
		return fmt.Errorf("item %s exists already; nothing was changed", rest[1])
	}
	if err != nil {
		return fmt.Errorf("import %s: %w", rest[0], err)
	}
	_, err = fmt.Fprintf(s.out, "%d artifacts read from %s\n", len(write.Files), rest[0])
	return err
}

// readFolder reads every file of a folder, and reports all that it cannot take.
func readFolder(dir string) (engine.ItemWrite, error) {
	w := engine.ItemWrite{Files: map[string][]byte{}}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return w, fmt.Errorf("import: %w", err)
	}
	defer root.Close()
	var problems []error
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			problems = append(problems, fmt.Errorf("import %s: not a plain file", name))
			return nil
		}
		b, err := root.ReadFile(name)
		if err != nil {
			return err
		}
		if name == metaName {
			if _, err := document.ParseMeta(b); err != nil {
				problems = append(problems, fmt.Errorf("import %s: %w", name, err))
			}
			w.Meta = b
			return nil
		}
		if err := document.CheckArtifactName(name); err != nil {
			problems = append(problems, fmt.Errorf("import: %w", err))
			return nil
		}
		w.Files[name] = b
		return nil
	})
	if err := errors.Join(append(problems, err)...); err != nil {
		return w, err
	}
	if len(w.Files) == 0 && w.Meta == nil {
		return w, fmt.Errorf("import: %s is empty", dir)
	}
	return w, nil
}

// runItems lists a channel's items.
func runItems(ctx context.Context, s streams, args []string) (err error) {
	store, rest, err := itemStore(ctx, s, "items", args, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	team, channel, ok := strings.Cut(rest[0], "/")
	if !ok || team == "" || channel == "" {
		return usagef("%q does not name a channel; expected TEAM/CHANNEL", rest[0])
	}
	slugs, err := store.ListItems(ctx, team, channel)
	if err != nil {
		return fmt.Errorf("list items: %w", err)
	}
	for _, slug := range slugs {
		fmt.Fprintf(s.out, "%s/%s/%s\n", team, channel, slug)
	}
	return nil
}
