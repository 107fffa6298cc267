package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Bounds on what a file may hold. The deepest file of ours has depth 4.
const (
	maxSize  = 256 * 1024
	maxDepth = 16
)

// problems gathers what is wrong, so that a person can mend it all at once.
type problems struct{ errs []error }

func (p *problems) add(err error) { p.errs = append(p.errs, err) }

func (p *problems) addf(file string, line int, format string, args ...any) {
	p.add(problem(file, line, format, args...))
}

func (p *problems) join() error { return errors.Join(p.errs...) }

// problem is an error in the form "file:line: what is wrong".
func problem(file string, line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", file, max(line, 1), fmt.Sprintf(format, args...))
}

// decode reads one YAML document into target and refuses everything that could
// be a slip or an attack: what parse refuses, and unknown keys. It returns the
// mapping node, for the lines of its keys, or nil when the file is unusable;
// every problem is added.
func decode(file string, b []byte, target any, p *problems) *yaml.Node {
	root := parse(file, b, p)
	if root == nil {
		return nil
	}
	strict := yaml.NewDecoder(bytes.NewReader(b))
	strict.KnownFields(true)
	if err := strict.Decode(target); err != nil {
		addYAML(file, err, p)
		return nil
	}
	return root
}

// parse reads one YAML document that must be a mapping and refuses duplicate
// keys, aliases, anchors, merge keys, foreign tags, further documents, depth, and
// bytes that are not UTF-8. It returns nil when there was a problem.
func parse(file string, b []byte, p *problems) *yaml.Node {
	if at := firstBad(b); at >= 0 {
		p.addf(file, lineAt(b, at), "is not UTF-8")
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			p.addf(file, 1, "is empty")
			return nil
		}
		addYAML(file, err, p)
		return nil
	}
	if len(doc.Content) == 0 {
		p.addf(file, 1, "is empty")
		return nil
	}
	before := len(p.errs)
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		p.addf(file, doc.Line, "holds more than one document")
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		p.addf(file, root.Line, "must be a mapping of keys to values")
		return nil
	}
	inspect(file, root, 1, p)
	if len(p.errs) > before {
		return nil
	}
	return root
}

// inspect walks the document for what strict reading refuses. It never follows
// an alias, so it takes time linear in the size of the file.
func inspect(file string, n *yaml.Node, depth int, p *problems) {
	if depth > maxDepth {
		p.addf(file, n.Line, "is nested more than %d deep", maxDepth)
		return
	}
	if n.Kind == yaml.AliasNode {
		p.addf(file, n.Line, "uses an alias (*%s); write the value out", n.Value)
		return
	}
	if n.Anchor != "" {
		p.addf(file, n.Line, "sets an anchor (&%s); anchors are not read", n.Anchor)
	}
	if tag := n.ShortTag(); !plainTags[tag] {
		p.addf(file, n.Line, "uses %s, which is not read", tag)
	}
	if n.Kind == yaml.MappingNode {
		first := map[string]int{}
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i]
			if line, seen := first[key.Value]; seen {
				p.addf(file, key.Line, "repeats the key %q of line %d", key.Value, line)
			}
			first[key.Value] = key.Line
		}
	}
	for _, child := range n.Content {
		inspect(file, child, depth+1, p)
	}
}

// plainTags are the kinds of value that our files consist of.
var plainTags = map[string]bool{
	"!!str": true, "!!int": true, "!!float": true, "!!bool": true, "!!null": true, "!!map": true, "!!seq": true,
	"!!timestamp": true,
}

var (
	yamlLine   = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
	goTypeName = regexp.MustCompile(` in type \S+$`)
)

// addYAML turns an error of the YAML library into problems with file and line.
func addYAML(file string, err error, p *problems) {
	lines := []string{err.Error()}
	var typed *yaml.TypeError
	if errors.As(err, &typed) {
		lines = typed.Errors
	}
	for _, text := range lines {
		line := 1
		if m := yamlLine.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1])
			text = m[2]
		}
		// Go's type names mean nothing to whoever writes a persona.
		text = goTypeName.ReplaceAllString(text, "")
		text = strings.Replace(text, "not found", "is not known", 1)
		p.addf(file, line, "%s", strings.TrimPrefix(text, "yaml: "))
	}
}

// firstBad returns the offset of the first byte that is not UTF-8, or -1.
func firstBad(b []byte) int {
	for at := 0; at < len(b); {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// lineAt returns the number of the line that the offset is in, from 1.
func lineAt(b []byte, offset int) int {
	return 1 + bytes.Count(b[:min(offset, len(b))], []byte("\n"))
}

// lineOf returns the line of a key of the mapping, or its first line.
func lineOf(root *yaml.Node, key string) int {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == key {
			return root.Content[i].Line
		}
	}
	return root.Line
}
