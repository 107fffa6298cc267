package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"gopkg.in/yaml.v3"
)

// configFile is read from the working directory when --config names no other.
const configFile = "roundtable.yaml"

// readConfigFile reads the file strictly: a key that is unknown, given twice or
// no plain value is a problem with its line. Secrets do not belong in it.
func readConfigFile(path string, all []setting) (map[string]given, []error) {
	named := path != ""
	if !named {
		path = configFile
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil, nil
	}
	if err != nil {
		return nil, []error{fmt.Errorf("configuration file: %w", err)}
	}
	root, err := mapping(b)
	if err != nil {
		return nil, []error{fmt.Errorf("%s: %w", path, err)}
	}
	known := map[string]setting{}
	for _, x := range all {
		known[x.Name] = x
	}
	values := map[string]given{}
	seen := map[string]bool{}
	var problems []error
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		at := fmt.Sprintf("%s:%d", path, k.Line)
		x, ok := known[k.Value]
		read := scalar
		if _, ok := x.Value.(structured); ok {
			read = structuredText
		}
		value, err := read(v)
		switch {
		case !ok || k.Kind != yaml.ScalarNode:
			err = fmt.Errorf("%s: there is no setting %q", at, k.Value)
		case x.Secret:
			err = fmt.Errorf("%s: %s is a secret; give it as %s or %s_FILE", at, x.Name, x.Env, x.Env)
		case seen[x.Name]:
			err = fmt.Errorf("%s: %s is given twice", at, x.Name)
		case err != nil:
			err = fmt.Errorf("%s: %s: %w", at, x.Name, err)
		default:
			values[x.Name] = given{value, at + ": " + x.Name}
		}
		if err != nil {
			problems = append(problems, err)
		}
		seen[k.Value] = true
	}
	return values, problems
}

// mapping reads a file of one YAML document that is a mapping or nothing.
func mapping(b []byte) (*yaml.Node, error) {
	var doc, further yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(b))
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return &yaml.Node{}, nil
	case err != nil:
		return nil, err
	}
	if err := d.Decode(&further); !errors.Is(err, io.EOF) {
		return nil, errors.New("expected one document; remove the line ---")
	}
	root := doc.Content[0]
	switch {
	case root.Kind == yaml.ScalarNode && root.Tag == "!!null":
		return &yaml.Node{}, nil
	case root.Kind != yaml.MappingNode:
		return nil, fmt.Errorf("line %d: expected one setting per line: name: value", root.Line)
	}
	return root, nil
}

// scalar reads a plain value, or a list of them as one separated by commas.
func scalar(n *yaml.Node) (string, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return n.Value, nil
	case yaml.SequenceNode:
		var parts []string
		for _, e := range n.Content {
			if e.Kind != yaml.ScalarNode {
				return "", errors.New("a list may hold only plain values")
			}
			parts = append(parts, e.Value)
		}
		return strings.Join(parts, ","), nil
	default:
		return "", errors.New("expected a plain value")
	}
}
