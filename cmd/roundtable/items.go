package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// parseItem reads TEAM/CHANNEL/ITEM.
func parseItem(arg string) (engine.ItemRef, error) {
	parts := strings.Split(arg, "/")
	if len(parts) != 3 || slices.Contains(parts, "") {
		return engine.ItemRef{}, config.Usagef("%q does not name an item; expected TEAM/CHANNEL/ITEM, for example T024BE7LD/C061EG9SL/offline-mode", arg)
	}
	if slug := document.Slug(parts[2]); slug != parts[2] {
		return engine.ItemRef{}, config.Usagef("%q is not the name of an item; try %q", parts[2], slug)
	}
	return engine.ItemRef{Team: parts[0], Channel: parts[1], Slug: parts[2]}, nil
}

// itemCommand reads the configuration of a command on items and its n arguments.
func itemCommand(s streams, name string, args []string, n int) (config.Config, []string, error) {
	c, rest, err := configure(s, name, args, config.Variant{})
	switch {
	case err != nil:
		return c, nil, err
	case c.RedisURL == "" && c.Artifacts == "":
		return c, nil, config.Usagef("REDIS_URL and --artifacts are both missing; one of them must say where the documents are")
	}
	return c, rest, exactly(rest, n)
}

// runExport writes an item as a folder: its artifacts and meta.json, byte for
// byte. The folder must not exist, so that nothing is overwritten.
func runExport(ctx context.Context, s streams, args []string) error {
	c, rest, err := itemCommand(s, "export", args, 2)
	if err != nil {
		return err
	}
	ref, err := parseItem(rest[0])
	if err != nil {
		return err
	}
	return withItems(ctx, c, func(items engine.Items) error {
		item, err := items.ReadItem(ctx, ref)
		if err != nil {
			return fmt.Errorf("read item %s: %w", rest[0], err)
		}
		if item.Version == 0 || item.Hidden {
			return fmt.Errorf("there is no item %s; roundtable items %s/%s lists the items", rest[0], ref.Team, ref.Channel)
		}
		if err := noteOperator(ctx, c, ref, thread.AuditExported); err != nil {
			return err
		}
		files, err := writeFolder(rest[1], item)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%d files written to %s\n", files, rest[1])
		return err
	})
}

// writeFolder makes the folder and returns how many files it wrote. When it
// fails it leaves nothing behind.
func writeFolder(dir string, item engine.Item) (n int, err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return 0, fmt.Errorf("create the folder: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, fmt.Errorf("open the folder: %w", err)
	}
	defer root.Close()
	files := maps.Clone(item.Files)
	for name := range files {
		if err := document.CheckArtifactName(name); err != nil {
			return 0, fmt.Errorf("artifact %s: %w", name, err)
		}
	}
	if item.Meta != nil {
		files[document.MetaName] = item.Meta
	}
	for name, b := range files {
		if err := writeNew(root, name, b); err != nil {
			return 0, fmt.Errorf("write the folder: %w", err)
		}
	}
	return len(files), nil
}

// writeNew writes a file that must not exist: where case does not count, two
// artifacts may have one file's name.
func writeNew(root *os.Root, name string, b []byte) error {
	if d := path.Dir(name); d != "." {
		if err := root.Mkdir(d, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// runImport reads a folder into a new item. It refuses an item that exists: an
// artifact never loses a byte.
func runImport(ctx context.Context, s streams, args []string) error {
	c, rest, err := itemCommand(s, "import", args, 2)
	if err != nil {
		return err
	}
	ref, err := parseItem(rest[1])
	if err != nil {
		return err
	}
	write, err := readFolder(rest[0])
	if err != nil {
		return err
	}
	// A key that was used before would count as written before, so each import
	// has its own.
	write.Key = "import/" + rand.Text()
	return withItems(ctx, c, func(items engine.Items) error {
		switch err := items.WriteItem(ctx, ref, write); {
		case errors.Is(err, engine.ErrConflict):
			return fmt.Errorf("item %s already exists; nothing was changed", rest[1])
		case err != nil:
			return fmt.Errorf("import %s: %w", rest[0], err)
		}
		if err := noteOperator(ctx, c, ref, thread.AuditImported); err != nil {
			return err
		}
		_, err := fmt.Fprintf(s.out, "%d artifacts read from %s\n", len(write.Files), rest[0])
		return err
	})
}

// readFolder reads every file of a folder, and reports all that it cannot take. It
// reads no more than an item may hold, whatever lies there.
func readFolder(dir string) (engine.ItemWrite, error) {
	w := engine.ItemWrite{Files: map[string][]byte{}}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return w, fmt.Errorf("open the folder: %w", err)
	}
	defer root.Close()
	var problems []error
	seen, size := 0, 0
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if seen++; seen > engine.MaxArtifacts+1 { // and meta.json
			return fmt.Errorf("%s holds more than %d files: %w", dir, engine.MaxArtifacts, engine.ErrTooLarge)
		}
		if !d.Type().IsRegular() {
			problems = append(problems, fmt.Errorf("%s: not a regular file", name))
			return nil
		}
		b, err := readBounded(root, name)
		if errors.Is(err, engine.ErrTooLarge) {
			problems = append(problems, err)
			return nil
		}
		if err != nil {
			return err
		}
		if size += len(b); size > engine.MaxItemBytes {
			return fmt.Errorf("%s holds more than %d bytes: %w", dir, engine.MaxItemBytes, engine.ErrTooLarge)
		}
		if name == document.MetaName {
			if _, err := document.ParseMeta(b); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", name, err))
			}
			w.Meta = b
			return nil
		}
		if err := document.CheckArtifactName(name); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
			return nil
		}
		w.Files[name] = b
		return nil
	})
	if err := errors.Join(append(problems, err)...); err != nil {
		return w, err
	}
	if len(w.Files) == 0 && w.Meta == nil {
		return w, fmt.Errorf("%s is empty", dir)
	}
	return w, w.Check()
}

// readBounded reads a file, and no more of one than an artifact may have: what a file
// says of its size is no reason to read it.
func readBounded(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, engine.MaxArtifactBytes+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if len(b) > engine.MaxArtifactBytes {
		return nil, fmt.Errorf("%s has more than %d bytes: %w", name, engine.MaxArtifactBytes, engine.ErrTooLarge)
	}
	return b, nil
}

// runItems lists a channel's items.
func runItems(ctx context.Context, s streams, args []string) error {
	c, rest, err := itemCommand(s, "items", args, 1)
	if err != nil {
		return err
	}
	team, channel, ok := strings.Cut(rest[0], "/")
	if !ok || team == "" || channel == "" || strings.Contains(channel, "/") {
		return config.Usagef("%q does not name a channel; expected TEAM/CHANNEL", rest[0])
	}
	return withItems(ctx, c, func(items engine.Items) error {
		slugs, err := items.ListItems(ctx, team, channel)
		if err != nil {
			return fmt.Errorf("list items: %w", err)
		}
		for _, slug := range slugs {
			if _, err := fmt.Fprintf(s.out, "%s/%s/%s\n", team, channel, slug); err != nil {
				return err
			}
		}
		return nil
	})
}
