package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"gopkg.in/yaml.v3"
)

// errHelp means that help was asked for and given.
var errHelp = errors.New("help")

// configFile is read from the working directory when --config names no other.
const configFile = "roundtable.yaml"

// configure gathers the configuration: a flag beats the environment, which beats
// roundtable.yaml, which beats the default. It reports all problems at once.
// initial replaces defaults, extra adds flags, for one command.
func configure(s streams, name string, args []string, initial map[string]string, extra func(*flag.FlagSet)) (config, []string, error) {
	var c config
	all := settings(&c)
	for i := range all {
		if v, ok := initial[all[i].name]; ok {
			all[i].initial = v
		}
	}
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	file := set.String("config", "", "configuration file; "+configFile+" if there is one")
	show := set.Bool("print-config", false, "print the configuration, without secrets, and stop")
	flags := map[string]string{}
	for _, x := range all {
		if x.secret {
			continue
		}
		store := func(v string) error { flags[x.name] = v; return x.Set(v) }
		if b, ok := x.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
			set.BoolFunc(x.name, x.help, store)
		} else {
			set.Func(x.name, x.help, store)
		}
	}
	if extra != nil {
		extra(set)
	}
	if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
		flagUsage(s.out, set, all)
		return c, nil, errHelp
	} else if err != nil {
		return c, nil, usageError{err}
	}

	fromFile, problems := readConfigFile(*file, all)
	for _, x := range all {
		value, source := x.initial, "default"
		if v, ok := fromFile[x.name]; ok {
			value, source = v, "configuration file"
		}
		if v, from, err := fromEnvironment(s, x); err != nil {
			problems = append(problems, err)
		} else if from != "" {
			value, source = v, from
		}
		if v, ok := flags[x.name]; ok {
			value, source = v, "--"+x.name
		}
		if err := x.Set(value); err != nil {
			if x.secret {
				err = errors.New("not a usable value")
			}
			problems = append(problems, fmt.Errorf("%s: %w", source, err))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return c, nil, usageError{err}
	}
	if *show {
		return c, nil, printConfig(s.out, all)
	}
	return c, set.Args(), nil
}

// fromEnvironment returns a setting's variable, or for a secret the contents of
// the file that the variable with _FILE names.
func fromEnvironment(s streams, x setting) (value, source string, err error) {
	if v, ok := s.environ(x.env); ok {
		return v, x.env, nil
	}
	if !x.secret {
		return "", "", nil
	}
	path, ok := s.environ(x.env + "_FILE")
	if !ok {
		return "", "", nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", "", fmt.Errorf("%s_FILE: %w", x.env, err)
	}
	return strings.TrimSpace(string(b)), x.env + "_FILE", nil
}

// readConfigFile reads the file strictly: a key that is unknown, given twice or
// no plain value is a problem with its line. Secrets do not belong in it.
func readConfigFile(path string, all []setting) (map[string]string, []error) {
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
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return nil, []error{fmt.Errorf("%s: %w", path, err)}
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, []error{fmt.Errorf("%s:%d: expected settings, one a line: name: value", path, root.Line)}
	}
	known := map[string]setting{}
	for _, x := range all {
		known[x.name] = x
	}
	values := map[string]string{}
	var problems []error
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		x, ok := known[k.Value]
		_, twice := values[k.Value]
		switch {
		case !ok:
			problems = append(problems, fmt.Errorf("%s:%d: there is no setting %q", path, k.Line, k.Value))
		case x.secret:
			problems = append(problems, fmt.Errorf("%s:%d: %s is a secret; give it as %s or %s_FILE", path, k.Line, x.name, x.env, x.env))
		case twice:
			problems = append(problems, fmt.Errorf("%s:%d: %s is given twice", path, k.Line, x.name))
		default:
			value, err := scalar(v)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s:%d: %s: %w", path, v.Line, x.name, err))
				continue
			}
			values[x.name] = value
		}
	}
	return values, problems
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

// printConfig shows what is in force, in the form of the configuration file.
func printConfig(w io.Writer, all []setting) error {
	for _, x := range all {
		v := x.String()
		if x.secret {
			v = map[bool]string{true: "# not set", false: "# set"}[v == ""]
			fmt.Fprintf(w, "%s %s (%s)\n", v, x.name, x.env)
			continue
		}
		line, err := yaml.Marshal(map[string]string{x.name: v})
		if err != nil {
			return fmt.Errorf("print configuration: %w", err)
		}
		fmt.Fprintf(w, "%s", line)
	}
	return errHelp
}

func flagUsage(w io.Writer, set *flag.FlagSet, all []setting) {
	env := map[string]setting{}
	for _, x := range all {
		env[x.name] = x
	}
	fmt.Fprintf(w, "Usage: roundtable %s [flags]\n\n", set.Name())
	set.VisitAll(func(f *flag.Flag) {
		x := env[f.Name]
		fmt.Fprintf(w, "  --%-16s %s", f.Name, f.Usage)
		if x.initial != "" {
			fmt.Fprintf(w, " (default %s)", x.initial)
		}
		if x.env != "" {
			fmt.Fprintf(w, " [%s]", x.env)
		}
		fmt.Fprintln(w)
	})
	fmt.Fprintln(w, "\nFrom the environment only, as VARIABLE or a file named by VARIABLE_FILE:")
	for _, x := range all {
		if x.secret {
			fmt.Fprintf(w, "  %-18s %s\n", x.env, x.help)
		}
	}
}
