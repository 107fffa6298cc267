package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// errAnswered means that the command line asked for help or for the
// configuration, and was answered.
var errAnswered = errors.New("answered")

// variant is what one command's configuration has of its own.
type variant struct {
	// initial replaces defaults, by name.
	initial map[string]string
	// alone, if not nil, are the settings that the command takes from its surroundings,
	// by name; of the others it knows the flags and a file that somebody names.
	alone []string
	// needs are the names of settings that must not be empty.
	needs []string
	// flags adds flags that are no settings.
	flags func(*flag.FlagSet)
	// problems, if set, takes what is wrong with values and files, and the command
	// goes on as if those had not been given. A wrong flag ends it all the same.
	problems *[]error
}

// given is a value that somebody chose for a setting, and where.
type given struct{ value, source string }

// configure gathers a command's configuration: a flag beats the environment,
// which beats roundtable.yaml, which beats the default (DESIGN §4). It returns
// the arguments that are left, or a usageError with all problems at once.
func configure(s streams, command string, args []string, v variant) (config, []string, error) {
	var c config
	all := settings(&c)
	for i := range all {
		if initial, ok := v.initial[all[i].name]; ok {
			all[i].initial = initial
		}
		if v.alone != nil && !slices.Contains(v.alone, all[i].name) {
			all[i].env = ""
		}
	}
	set := flag.NewFlagSet(command, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	file := set.String("config", "", "configuration file (default "+configFile+", if there is one)")
	show := set.Bool("print-config", false, "print the configuration, without secrets, and stop")
	flags := settingFlags(set, all)
	if v.flags != nil {
		v.flags(set)
	}
	misuse := set.Parse(args)
	if errors.Is(misuse, flag.ErrHelp) {
		flagUsage(s.out, set, all)
		return c, nil, errAnswered
	}

	var fromFile map[string]given
	var problems []error
	if v.alone == nil || *file != "" {
		fromFile, problems = readConfigFile(*file, all)
	}
	for _, x := range all {
		g := given{x.initial, "default of " + x.name}
		if chosen, ok := fromFile[x.name]; ok {
			g = chosen
		}
		if chosen, ok, err := fromEnvironment(s, x); err != nil {
			problems = append(problems, err)
		} else if ok {
			g = chosen
		}
		if chosen, ok := flags[x.name]; ok {
			g = chosen
		}
		if err := x.Set(g.value); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", g.source, err))
			_ = x.Set(x.initial) // for a command that goes on; defaults are sound
		} else if !*show && slices.Contains(v.needs, x.name) && x.String() == "" {
			problems = append(problems, fmt.Errorf("%s is missing: %s", x.env, x.help))
		}
	}
	if v.problems != nil {
		*v.problems, problems = problems, nil
	}
	if err := errors.Join(append([]error{misuse}, problems...)...); err != nil {
		return c, nil, usageError{err}
	}
	if *show {
		return c, nil, cmp.Or(printConfig(s.out, all), errAnswered)
	}
	return c, set.Args(), nil
}

// settingFlags adds a flag for every setting that is no secret. What is given is
// only noted, so that a bad value is reported with all other problems.
func settingFlags(set *flag.FlagSet, all []setting) map[string]given {
	flags := map[string]given{}
	for _, x := range all {
		if x.secret {
			continue
		}
		note := func(v string) error { flags[x.name] = given{v, "--" + x.name}; return nil }
		if b, ok := x.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
			set.BoolFunc(x.name, x.help, note)
		} else {
			set.Func(x.name, x.help, note)
		}
	}
	return flags
}

// fromEnvironment returns a setting's variable, or for a secret the contents of
// the file that the variable with _FILE appended names. An empty variable of a
// secret counts as none.
func fromEnvironment(s streams, x setting) (g given, ok bool, err error) {
	if x.env == "" {
		return given{}, false, nil
	}
	v, ok := s.environ(x.env)
	if !x.secret {
		return given{v, x.env}, ok, nil
	}
	path, _ := s.environ(x.env + "_FILE")
	switch {
	case v != "" && path != "":
		return given{}, false, fmt.Errorf("%s and %s_FILE are both given; give one", x.env, x.env)
	case v != "":
		return given{v, x.env}, true, nil
	case path == "":
		return given{}, false, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return given{}, false, fmt.Errorf("%s_FILE: %w", x.env, err)
	}
	return given{strings.TrimSpace(string(b)), x.env + "_FILE"}, true, nil
}

// printConfig shows what is in force, in the form of the configuration file.
// Of secrets it says only whether they are set, as comments.
func printConfig(w io.Writer, all []setting) error {
	var shown yaml.Node
	shown.Kind = yaml.MappingNode
	var secrets []string
	for _, x := range all {
		if x.secret && x.env == "" {
			continue
		}
		if x.secret {
			state := "not set"
			if x.String() != "" {
				state = "set"
			}
			secrets = append(secrets, fmt.Sprintf("%s is %s", x.env, state))
			continue
		}
		value := &yaml.Node{Kind: yaml.ScalarNode, Value: x.String()}
		if _, ok := x.Value.(structured); ok {
			var err error
			if value, err = structuredNode(x.String()); err != nil {
				return fmt.Errorf("print the configuration: %s: %w", x.name, err)
			}
		}
		shown.Content = append(shown.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: x.name}, value)
	}
	shown.HeadComment = strings.Join(secrets, "\n")
	text, err := yaml.Marshal(&shown)
	if err == nil {
		_, err = w.Write(text)
	}
	if err != nil {
		return fmt.Errorf("print the configuration: %w", err)
	}
	return nil
}

// flagUsage lists a command's flags and, since they have none, the secrets.
func flagUsage(w io.Writer, set *flag.FlagSet, all []setting) {
	known := map[string]setting{}
	for _, x := range all {
		known[x.name] = x
	}
	fmt.Fprintf(w, "Usage: roundtable %s [flags] %s\n\n", set.Name(), argumentsOf(set.Name()))
	set.VisitAll(func(f *flag.Flag) {
		x := known[f.Name]
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
		if x.secret && x.env != "" {
			fmt.Fprintf(w, "  %-18s %s\n", x.env, x.help)
		}
	}
}
