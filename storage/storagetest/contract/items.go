package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// RunItems checks that a store keeps the promises of engine.Items. Open
// returns a new empty store for each test of the suite.
func RunItems(t *testing.T, open func(t *testing.T) engine.Items) {
	t.Helper()
	for name, test := range map[string]func(*itemBench){
		"an item is changed by whoever read it last (NFR-004)": itemVersions,
		"an effect is merged into an item once (I8)":           itemMerges,
		"bytes come back as they were (I8)":                    itemBytes,
		"an item belongs to its channel (I12)":                 itemChannels,
		"of writers at the same moment all land (NFR-004)":     itemWriters,
		"what an item has no room for changes nothing":         itemRoom,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			test(&itemBench{T: t, items: open(t), ctx: ctx})
		})
	}
}

// itemBench is one test of the suite with the store it works on.
type itemBench struct {
	*testing.T
	items engine.Items
	ctx   context.Context
}

var login = engine.ItemRef{Team: "T1", Channel: "C1", Slug: "login"}

func (b *itemBench) read(ref engine.ItemRef) engine.Item {
	b.Helper()
	item, err := b.items.ReadItem(b.ctx, ref)
	if err != nil {
		b.Fatalf("ReadItem(%s): %v", ref.Slug, err)
	}
	return item
}

func (b *itemBench) write(ref engine.ItemRef, w engine.ItemWrite) {
	b.Helper()
	if err := b.items.WriteItem(b.ctx, ref, w); err != nil {
		b.Fatalf("WriteItem(%s): %v", ref.Slug, err)
	}
}

func itemVersions(b *itemBench) {
	if item := b.read(login); item.Version != 0 || len(item.Files) != 0 || item.Meta != nil {
		b.Fatalf("ReadItem of nothing = %+v", item)
	}
	b.write(login, engine.ItemWrite{Files: map[string][]byte{"a.md": []byte("a\r\n"), "b.csv": nil}, Meta: []byte("{}")})
	item := b.read(login)
	if item.Version == 0 || string(item.Files["a.md"]) != "a\r\n" || len(item.Files) != 2 || string(item.Meta) != "{}" {
		b.Fatalf("ReadItem = %+v", item)
	}
	stale := engine.ItemWrite{Files: map[string][]byte{"a.md": []byte("lost")}}
	if err := b.items.WriteItem(b.ctx, login, stale); !errors.Is(err, engine.ErrConflict) {
		b.Fatalf("write of an old version = %v, want ErrConflict", err)
	}
	b.write(login, engine.ItemWrite{Version: item.Version, Files: map[string][]byte{"a.md": []byte("a2")}})
	next := b.read(login)
	if next.Version == item.Version || string(next.Files["a.md"]) != "a2" || string(next.Meta) != "{}" || len(next.Files) != 2 {
		b.Fatalf("ReadItem = %+v, want the rest untouched", next)
	}
	large := engine.ItemWrite{Version: next.Version, Files: map[string][]byte{"big": make([]byte, 2<<20)}}
	if err := b.items.WriteItem(b.ctx, login, large); !errors.Is(err, engine.ErrTooLarge) {
		b.Fatalf("2 MiB: got %v, want ErrTooLarge", err)
	}
}

// itemRoom fills an item to its bounds: what is beyond is refused before the first
// write, so that nothing of it is listed, and what was taken can be read.
func itemRoom(b *itemBench) {
	many := func(n int) map[string][]byte {
		files := map[string][]byte{}
		for i := range n {
			files[fmt.Sprintf("%04d.md", i)] = []byte("x")
		}
		return files
	}
	big := func(n int) map[string][]byte {
		files := map[string][]byte{}
		for i := range n {
			files[fmt.Sprintf("%04d.md", i)] = make([]byte, engine.MaxArtifactBytes)
		}
		return files
	}
	refused := func(what string, w engine.ItemWrite) {
		b.Helper()
		before := b.read(login)
		if err := b.items.WriteItem(b.ctx, login, w); !errors.Is(err, engine.ErrTooLarge) {
			b.Errorf("%s: got %v, want ErrTooLarge", what, err)
		}
		if after := b.read(login); after.Version != before.Version || len(after.Files) != len(before.Files) {
			b.Errorf("%s: the item changed", what)
		}
		if slugs, err := b.items.ListItems(b.ctx, "T1", "C1"); err != nil || (len(slugs) > 0) != (before.Version != 0) {
			b.Errorf("%s: listed are %v, %v", what, slugs, err)
		}
	}
	refused("one artifact too many", engine.ItemWrite{Files: many(engine.MaxArtifacts + 1)})
	refused("more than Lua's stack holds", engine.ItemWrite{Files: many(5 * engine.MaxArtifacts)})
	refused("an artifact one byte too long", engine.ItemWrite{Files: map[string][]byte{"a.md": make([]byte, engine.MaxArtifactBytes+1)}})
	refused("meta.json one byte too long", engine.ItemWrite{Meta: make([]byte, engine.MaxArtifactBytes+1)})
	refused("too many bytes together", engine.ItemWrite{Files: big(engine.MaxItemBytes / engine.MaxArtifactBytes), Meta: []byte("{}")})

	b.write(login, engine.ItemWrite{Files: many(engine.MaxArtifacts), Meta: []byte("{}")})
	full := b.read(login)
	if len(full.Files) != engine.MaxArtifacts {
		b.Fatalf("%d artifacts are read, want %d", len(full.Files), engine.MaxArtifacts)
	}
	refused("one more in a full item", engine.ItemWrite{Version: full.Version, Files: map[string][]byte{"more.md": nil}})
	refused("more bytes in a full item", engine.ItemWrite{Version: full.Version, Files: big(engine.MaxItemBytes / engine.MaxArtifactBytes)})
	b.write(login, engine.ItemWrite{Version: full.Version, Files: map[string][]byte{"0000.md": []byte("longer than before")}})
}

func itemMerges(b *itemBench) {
	w := engine.ItemWrite{Files: map[string][]byte{"a.md": []byte("once")}, Key: "d1/x/1", Result: []byte("added")}
	b.write(login, w)
	b.write(login, w)
	item := b.read(login)
	if diff := cmp.Diff(map[string][]byte{"d1/x/1": []byte("added")}, item.Applied); diff != "" {
		b.Fatalf("applied (-want +got):\n%s", diff)
	}
	b.write(login, engine.ItemWrite{Version: item.Version, Files: map[string][]byte{"a.md": []byte("more")}, Key: "d2/x/1"})
	b.write(login, w) // an effect that was merged is success
	if item = b.read(login); string(item.Files["a.md"]) != "more" {
		b.Fatalf("ReadItem = %+v, want the later write kept", item)
	}
	// A change of nothing is remembered, too.
	b.write(login, engine.ItemWrite{Version: item.Version, Key: "d3/x/1", Result: []byte("[]")})
	if got := b.read(login).Applied["d3/x/1"]; string(got) != "[]" {
		b.Fatalf("applied %q, want the result of a change of nothing", got)
	}
}

func itemBytes(b *itemBench) {
	want := map[string][]byte{
		"crlf.md": []byte("# a\r\n\rb"), "bytes.csv": []byte("\x00\xff\xfe\xef\xbb\xbf"), "empty.md": {},
		"adrs/0001-cache.md": []byte("# ADR\n"), "naïve – 日本.md": []byte("日本語"), "same.json": []byte("{ }"),
	}
	b.write(login, engine.ItemWrite{Files: want, Meta: []byte("{\r\n \"x\": 1}"), Key: "k", Result: []byte("\x00\xff")})
	got := b.read(login)
	if diff := cmp.Diff(want, got.Files); diff != "" {
		b.Errorf("files (-want +got):\n%s", diff)
	}
	if string(got.Meta) != "{\r\n \"x\": 1}" || string(got.Applied["k"]) != "\x00\xff" {
		b.Errorf("got meta.json %q, result %q", got.Meta, got.Applied["k"])
	}
}

func itemChannels(b *itemBench) {
	other := login
	other.Channel = "C2"
	for _, slug := range []string{"zeta", "login", "alpha"} {
		b.write(engine.ItemRef{Team: "T1", Channel: "C1", Slug: slug}, engine.ItemWrite{Files: map[string][]byte{"a.md": []byte("first")}})
	}
	if item := b.read(other); item.Version != 0 || len(item.Files) != 0 {
		b.Fatalf("another channel reads %+v", item)
	}
	b.write(other, engine.ItemWrite{Files: map[string][]byte{"a.md": []byte("second")}})
	for ref, want := range map[engine.ItemRef]string{login: "first", other: "second"} {
		if got := string(b.read(ref).Files["a.md"]); got != want {
			b.Errorf("%s of %s holds %q, want %q", ref.Slug, ref.Channel, got, want)
		}
	}
	for channel, want := range map[string][]string{"C1": {"alpha", "login", "zeta"}, "C2": {"login"}, "C3": nil} {
		slugs, err := b.items.ListItems(b.ctx, "T1", channel)
		if err != nil || !slices.Equal(slugs, want) {
			b.Errorf("ListItems(%s) = %v, %v, want %v", channel, slugs, err, want)
		}
	}
}

func itemWriters(b *itemBench) {
	const writers = 8
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for {
				item, err := b.items.ReadItem(b.ctx, login)
				if err != nil {
					b.Error(err)
					return
				}
				key := fmt.Sprintf("d%d/x/1", i)
				err = b.items.WriteItem(b.ctx, login, engine.ItemWrite{
					Version: item.Version, Key: key, Files: map[string][]byte{"a.md": append(slices.Clone(item.Files["a.md"]), key+"\n"...)},
				})
				if err == nil {
					return
				}
				if !errors.Is(err, engine.ErrConflict) {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	item := b.read(login)
	if got := len(item.Files["a.md"]); got != writers*len("d0/x/1\n") || len(item.Applied) != writers {
		b.Errorf("got %q after %d writers", item.Files["a.md"], writers)
	}
}
