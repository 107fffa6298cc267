package checkout

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// balky fails one call, by its number, with an error that names the file, as an
// operating system does.
type balky struct {
	*platter
	calls, fails int
}

func (b *balky) balks(op, name string) error {
	if b.calls++; b.calls == b.fails {
		return &fs.PathError{Op: op, Path: name, Err: syscall.EIO}
	}
	return nil
}

func (b *balky) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := b.balks("readdir", name); err != nil {
		return nil, err
	}
	return b.platter.ReadDir(name)
}

func (b *balky) Lstat(name string) (fs.FileInfo, error) {
	if err := b.balks("lstat", name); err != nil {
		return nil, err
	}
	return b.platter.Lstat(name)
}

func (b *balky) Read(name string, limit int64) ([]byte, error) {
	if err := b.balks("read", name); err != nil {
		return nil, err
	}
	return b.platter.Read(name, limit)
}

func (b *balky) Mkdir(name string) error {
	if err := b.balks("mkdir", name); err != nil {
		return err
	}
	return b.platter.Mkdir(name)
}

func (b *balky) Create(name string, perm fs.FileMode, content []byte) error {
	if err := b.balks("create", name); err != nil {
		return err
	}
	return b.platter.Create(name, perm, content)
}

func (b *balky) Rename(from, to string) error {
	if err := b.balks("rename", from+" "+to); err != nil {
		return err
	}
	return b.platter.Rename(from, to)
}

func (b *balky) Remove(name string) error {
	if err := b.balks("remove", name); err != nil {
		return err
	}
	return b.platter.Remove(name)
}

func (b *balky) Sync(dir string) error {
	if err := b.balks("sync", dir); err != nil {
		return err
	}
	return b.platter.Sync(dir)
}

// TestNoNameReachesALog fails every call of the file system once, while items with
// telling names are written, read, listed and forgotten, and then spoils what stands
// there: neither a log line nor an error as a log shows it holds a word that people
// chose (I11). An operator who reads the error itself is told the name.
func TestNoNameReachesALog(t *testing.T) {
	words := []string{"layoff", "bob", "smith", "secretplan", "hushed"}
	ref := engine.ItemRef{Team: "T1", Channel: "C1", Slug: "layoff-of-bob-smith"}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(engine.LogText(err))
		}
		return a
	}}))
	told := 0
	check := func(err error) {
		t.Helper()
		if err == nil {
			return
		}
		text := engine.LogText(err)
		for _, w := range words {
			if strings.Contains(text, w) {
				t.Errorf("%q is in a log: %s", w, text)
			}
			if strings.Contains(err.Error(), w) {
				told++
			}
		}
	}
	use := func(tr tree) {
		t.Helper()
		ctx := context.Background()
		s, err := open(ctx, tr, logger)
		check(err)
		if err != nil {
			return
		}
		item, err := s.ReadItem(ctx, ref)
		check(err)
		check(s.WriteItem(ctx, ref, engine.ItemWrite{Version: item.Version, Key: "k", Meta: []byte("{}"), Files: map[string][]byte{"a.md": []byte("x"), "hushed/secretplan.md": []byte("x")}}))
		_, err = s.ReadItem(ctx, ref)
		check(err)
		_, err = s.ListItems(ctx, "T1", "C1")
		check(err)
		check(s.HideItem(ctx, ref, "f"))
		check(s.RemoveItem(ctx, ref, "f"))
	}
	files := map[string]string{ref.Slug + "/secretplan.md": "x", ref.Slug + "/hushed/b.md": "x", ref.Slug + "/notes.txt": "x"}
	for n := 1; ; n++ {
		b := &balky{platter: newPlatter(t, files), fails: n}
		use(b)
		if b.calls < n {
			break
		}
	}
	record := bookkeeping + "/" + ref.Slug + recordSuffix
	for _, spoilt := range []map[string]string{
		{ref.Slug: "a file"},
		{ref.Slug + "/meta.json/x": "a folder"},
		{ref.Slug + "/hushed": "a file"},
		{ref.Slug + "/hushed/secretplan.md/x": "a folder"},
		{record: "no record"},
		{record: `{"form":9}`},
		{record: `{"form":1,"team":"T1","channel":"C1","slug":"layoff-of-bob-smith","pending":{"key":"k","files":[{"name":"../secretplan","staged":"0"}]}}`},
		{record: `{"form":1,"team":"T1","channel":"C1","slug":"layoff-of-bob-smith","pending":{"key":"k","files":[{"name":"a.md","staged":"secretplan"}]}}`},
		{record: `{"form":1,"team":"T1","channel":"C1","slug":"layoff-of-bob-smith","pending":{"key":"k","files":[{"name":"secretplan.md","was":"x","staged":"0"}]}}`,
			stagedDir(ref.Slug) + "/0": "x", ref.Slug + "/secretplan.md": "edited"},
	} {
		use(newPlatter(t, spoilt))
	}
	s, err := open(context.Background(), newPlatter(t, nil), logger)
	if err != nil {
		t.Fatal(err)
	}
	check(s.WriteItem(context.Background(), ref, engine.ItemWrite{Files: map[string][]byte{"../hushed": nil}}))
	check(s.WriteItem(context.Background(), ref, engine.ItemWrite{Files: map[string][]byte{"hushed.md": make([]byte, maxFile+1)}}))
	_, err = s.ReadItem(context.Background(), engine.ItemRef{Team: "T1", Channel: "C1", Slug: "Layoff of bob!"})
	check(err)
	for _, w := range words {
		if strings.Contains(log.String(), w) {
			t.Errorf("%q is in the log:\n%s", w, &log)
		}
	}
	if told < 50 || !strings.Contains(log.String(), "folder="+engine.Private(ref.Slug).Alias()) {
		t.Errorf("names were told to an operator %d times, and the log says\n%s", told, &log)
	}
}
