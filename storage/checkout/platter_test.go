package checkout

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"
)

// platter is a disk in memory that forgets, when the power fails, whatever was not
// synced: each change of a directory that no Sync of it followed may be there
// afterwards or not, whatever became of the others.
type platter struct {
	t     *testing.T
	safe  map[string]*node
	now   map[string]*node
	loose []alteration // since safe, in order
}

type node struct {
	dir     bool
	content string
	perm    fs.FileMode
}

// alteration is one change of the names; it does nothing where it makes no sense.
type alteration struct {
	dirs  []string
	apply func(names map[string]*node)
	kept  bool
}

func newPlatter(t *testing.T, files map[string]string) *platter {
	p := &platter{t: t, safe: map[string]*node{".": {dir: true}}}
	for name, content := range files {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			p.safe[dir] = &node{dir: true}
		}
		p.safe[name] = &node{content: content, perm: 0o640}
	}
	p.now = maps.Clone(p.safe)
	return p
}

func (p *platter) do(change alteration) {
	change.apply(p.now)
	p.loose = append(p.loose, change)
}

// failPower lets the power fail: of what was not synced, chance decides.
func (p *platter) failPower(chance *rand.Rand) {
	share := chance.Float64()
	for _, change := range p.loose {
		if change.kept || chance.Float64() < share {
			change.apply(p.safe)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.safe)) {
		if _, above := p.safe[path.Dir(name)]; !above {
			delete(p.safe, name) // nothing leads to it
		}
	}
	p.now, p.loose = maps.Clone(p.safe), nil
}

// edit is what a person does: change a file's text, safely.
func (p *platter) edit(name string, change func(string) string) {
	old := ""
	if n := p.now[name]; n != nil {
		old = n.content
	}
	n := &node{content: change(old), perm: 0o640}
	p.do(alteration{kept: true, apply: func(names map[string]*node) { names[name] = n }})
}

// files are the plain files below a folder.
func (p *platter) files(folder string) map[string]string {
	out := map[string]string{}
	for name, n := range p.now {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok && !n.dir {
			out[rest] = n.content
		}
	}
	return out
}

func missing(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

func (p *platter) ReadDir(name string) ([]fs.DirEntry, error) {
	if n := p.now[name]; n == nil || !n.dir {
		return nil, missing("open", name)
	}
	var entries []fs.DirEntry
	for _, other := range slices.Sorted(maps.Keys(p.now)) {
		if path.Dir(other) == name && other != "." {
			entries = append(entries, fs.FileInfoToDirEntry(leaf{path.Base(other), p.now[other]}))
		}
	}
	return entries, nil
}

func (p *platter) Lstat(name string) (fs.FileInfo, error) {
	if n := p.now[name]; n != nil {
		return leaf{path.Base(name), n}, nil
	}
	return nil, missing("lstat", name)
}

func (p *platter) Read(name string, limit int64) ([]byte, error) {
	switch n := p.now[name]; {
	case n == nil:
		return nil, missing("open", name)
	case n.dir:
		return nil, errNotPlain
	case int64(len(n.content)) > limit:
		return nil, errTooLarge
	default:
		return []byte(n.content), nil
	}
}

func (p *platter) Mkdir(name string) error {
	if p.now[name] != nil {
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	}
	if p.now[path.Dir(name)] == nil {
		return missing("mkdir", name)
	}
	p.do(alteration{dirs: []string{path.Dir(name)}, apply: func(names map[string]*node) { names[name] = &node{dir: true} }})
	return nil
}

func (p *platter) Create(name string, perm fs.FileMode, content []byte) error {
	if p.now[name] != nil {
		return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	if p.now[path.Dir(name)] == nil {
		return missing("create", name)
	}
	n := &node{content: string(content), perm: perm}
	p.do(alteration{dirs: []string{path.Dir(name)}, apply: func(names map[string]*node) { names[name] = n }})
	return nil
}

func (p *platter) Rename(from, to string) error {
	if p.now[from] == nil || p.now[path.Dir(to)] == nil {
		return missing("rename", from)
	}
	p.do(alteration{dirs: []string{path.Dir(from), path.Dir(to)}, apply: func(names map[string]*node) {
		if n := names[from]; n != nil {
			delete(names, from)
			names[to] = n
		}
	}})
	return nil
}

func (p *platter) Remove(name string) error {
	if p.now[name] == nil {
		return missing("remove", name)
	}
	p.do(alteration{dirs: []string{path.Dir(name)}, apply: func(names map[string]*node) { delete(names, name) }})
	return nil
}

func (p *platter) Sync(dir string) error {
	if p.now[dir] == nil {
		return missing("sync", dir)
	}
	for i := range p.loose {
		if slices.Contains(p.loose[i].dirs, dir) {
			p.loose[i].kept = true
		}
	}
	return nil
}

func (p *platter) Lock(context.Context, string) (func() error, error) {
	return func() error { return nil }, nil
}

func (p *platter) Close() error { return nil }

// leaf is a node as a directory lists it.
type leaf struct {
	name string
	node *node
}

func (l leaf) Name() string       { return l.name }
func (l leaf) Size() int64        { return int64(len(l.node.content)) }
func (l leaf) ModTime() time.Time { return time.Time{} }
func (l leaf) IsDir() bool        { return l.node.dir }
func (l leaf) Sys() any           { return nil }
func (l leaf) Mode() fs.FileMode {
	if l.node.dir {
		return fs.ModeDir | 0o755
	}
	return l.node.perm
}

// mortal is a tree whose user dies at a call.
type mortal struct {
	tree
	// dieAt is the number of the call, 0 for never; how says what it still does.
	dieAt int
	how   death
	// before is called before each call.
	before func(call int, op, name string)
	calls  int
	// at is the call that was the last.
	at string
}

type death string

const (
	beforeCall death = "before"
	afterCall  death = "after"
	withinCall death = "within" // half a file was written
)

// errDead is what a dead process would see, if it saw anything.
var errDead = fmt.Errorf("the process is dead")

// through does a call, or dies.
func (m *mortal) through(op, name string, do func() error) error {
	if m.dieAt > 0 && m.calls >= m.dieAt {
		return errDead
	}
	m.calls++
	if m.before != nil {
		m.before(m.calls, op, name)
	}
	if m.calls != m.dieAt {
		return do()
	}
	m.at = op + " " + name
	if m.how == afterCall {
		_ = do() // nobody learns how it went
	}
	return errDead
}

func (m *mortal) ReadDir(name string) (entries []fs.DirEntry, err error) {
	err = m.through("readdir", name, func() error { entries, err = m.tree.ReadDir(name); return err })
	return entries, err
}

func (m *mortal) Lstat(name string) (info fs.FileInfo, err error) {
	err = m.through("lstat", name, func() error { info, err = m.tree.Lstat(name); return err })
	return info, err
}

func (m *mortal) Read(name string, limit int64) (content []byte, err error) {
	err = m.through("read", name, func() error { content, err = m.tree.Read(name, limit); return err })
	return content, err
}

func (m *mortal) Mkdir(name string) error {
	return m.through("mkdir", name, func() error { return m.tree.Mkdir(name) })
}

func (m *mortal) Create(name string, perm fs.FileMode, content []byte) error {
	err := m.through("create", name, func() error { return m.tree.Create(name, perm, content) })
	if m.how == withinCall && m.calls == m.dieAt && m.at == "create "+name {
		_ = m.tree.Create(name, perm, content[:len(content)/2])
	}
	return err
}

func (m *mortal) Rename(from, to string) error {
	return m.through("rename", to, func() error { return m.tree.Rename(from, to) })
}

func (m *mortal) Remove(name string) error {
	return m.through("remove", name, func() error { return m.tree.Remove(name) })
}

func (m *mortal) Sync(dir string) error {
	return m.through("sync", dir, func() error { return m.tree.Sync(dir) })
}
