package config

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// ErrAnswered means that the command line asked for help or for the
// configuration, and was answered.
var ErrAnswered = errors.New("answered")

// UsageError is a mistake in how the program was called.
type UsageError struct{ err error }

func (e UsageError) Error() string { return e.err.Error() }
func (e UsageError) Unwrap() error { return e.err }

// Usagef makes a UsageError in the manner of fmt.Errorf.
func Usagef(format string, a ...any) error { return UsageError{fmt.Errorf(format, a...)} }

// Surroundings are what a program is started in: its environment, and where answers to
// --help and --print-config go.
type Surroundings struct {
	Environ func(string) (string, bool)
	Out     io.Writer
}

// Command is what is configured: its name, and its own arguments as help shows them.
type Command struct{ Name, Arguments string }

// Variant is what one command's configuration has of its own.
type Variant struct {
	// Initial replaces defaults, by name.
	Initial map[string]string
	// Alone, if not nil, are the settings that the command takes from its surroundings,
	// by name; of the others it knows the flags and a file that somebody names.
	Alone []string
	// Needs are the names of settings that must not be empty.
	Needs []string
	// Flags adds flags that are no settings.
	Flags func(*flag.FlagSet)
	// Problems, if set, takes what is wrong with values and files, and the command
	// goes on as if those had not been given. A wrong flag ends it all the same.
	Problems *[]error
}

// given is a value that somebody chose for a setting, and where.
type given struct{ value, source string }

// Read gathers a command's configuration: a flag beats the environment,
// which beats roundtable.yaml, which beats the default (docs/configuration.md). It returns
// the arguments that are left, or a UsageError with all problems at once.
func Read(s Surroundings, command Command, args []string, v Variant) (Config, []string, error) {
	var c Config
	all := Settings(&c)
	for i := range all {
		if initial, ok := v.Initial[all[i].Name]; ok {
			all[i].Initial = initial
		}
		if v.Alone != nil && !slices.Contains(v.Alone, all[i].Name) {
			all[i].Env = ""
		}
	}
	set := flag.NewFlagSet(command.Name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	file := set.String("config", "", "configuration file (default "+configFile+", if it exists)")
	show := set.Bool("print-config", false, "print the configuration, without secrets, and exit")
	flags := settingFlags(set, all)
	if v.Flags != nil {
		v.Flags(set)
	}
	misuse := set.Parse(args)
	if errors.Is(misuse, flag.ErrHelp) {
		flagUsage(s.Out, set, all, command)
		return c, nil, ErrAnswered
	}

	var fromFile map[string]given
	var problems []error
	if v.Alone == nil || *file != "" {
		fromFile, problems = readConfigFile(*file, all)
	}
	for _, x := range all {
		g := given{x.Initial, "default of " + x.Name}
		if chosen, ok := fromFile[x.Name]; ok {
			g = chosen
		}
		if chosen, ok, err := fromEnvironment(s.Environ, x); err != nil {
			problems = append(problems, err)
		} else if ok {
			g = chosen
		}
		if chosen, ok := flags[x.Name]; ok {
			g = chosen
		}
		if err := x.Set(g.value); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", g.source, err))
			_ = x.Set(x.Initial) // for a command that goes on; defaults are sound
		} else if !*show && slices.Contains(v.Needs, x.Name) && x.String() == "" {
			problems = append(problems, fmt.Errorf("%s is missing: %s", x.Env, x.Help))
		}
	}
	if v.Problems != nil {
		*v.Problems, problems = problems, nil
	}
	if err := errors.Join(append([]error{misuse}, problems...)...); err != nil {
		return c, nil, UsageError{err}
	}
	if *show {
		return c, nil, cmp.Or(printConfig(s.Out, all), ErrAnswered)
	}
	return c, set.Args(), nil
}

// settingFlags adds a flag for every setting that is no secret. What is given is
// only noted, so that a bad value is reported with all other problems.
func settingFlags(set *flag.FlagSet, all []setting) map[string]given {
	flags := map[string]given{}
	for _, x := range all {
		if x.Secret {
			continue
		}
		note := func(v string) error { flags[x.Name] = given{v, "--" + x.Name}; return nil }
		if b, ok := x.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
			set.BoolFunc(x.Name, x.Help, note)
		} else {
			set.Func(x.Name, x.Help, note)
		}
	}
	return flags
}

// fromEnvironment returns a setting's variable, or for a secret the contents of
// the file that the variable with _FILE appended names. An empty variable of a
// secret counts as none.
func fromEnvironment(environ func(string) (string, bool), x setting) (g given, ok bool, err error) {
	if x.Env == "" {
		return given{}, false, nil
	}
	v, ok := environ(x.Env)
	if !x.Secret {
		return given{v, x.Env}, ok, nil
	}
	path, _ := environ(x.Env + "_FILE")
	switch {
	case v != "" && path != "":
		return given{}, false, fmt.Errorf("%s and %s_FILE are both set; set only one", x.Env, x.Env)
	case v != "":
		return given{v, x.Env}, true, nil
	case path == "":
		return given{}, false, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return given{}, false, fmt.Errorf("%s_FILE: %w", x.Env, err)
	}
	return given{strings.TrimSpace(string(b)), x.Env + "_FILE"}, true, nil
}

// printConfig shows what is in force, in the form of the configuration file.
// Of secrets it says only whether they are set, as comments.
func printConfig(w io.Writer, all []setting) error {
	var shown yaml.Node
	shown.Kind = yaml.MappingNode
	var secrets []string
	for _, x := range all {
		if x.Secret && x.Env == "" {
			continue
		}
		if x.Secret {
			state := "not set"
			if x.String() != "" {
				state = "set"
			}
			secrets = append(secrets, fmt.Sprintf("%s is %s", x.Env, state))
			continue
		}
		value := &yaml.Node{Kind: yaml.ScalarNode, Value: x.String()}
		if _, ok := x.Value.(structured); ok {
			var err error
			if value, err = structuredNode(x.String()); err != nil {
				return fmt.Errorf("print the configuration: %s: %w", x.Name, err)
			}
		}
		shown.Content = append(shown.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: x.Name}, value)
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
func flagUsage(w io.Writer, set *flag.FlagSet, all []setting, command Command) {
	known := map[string]setting{}
	for _, x := range all {
		known[x.Name] = x
	}
	fmt.Fprintf(w, "Usage: roundtable %s [flags] %s\n\n", command.Name, command.Arguments)
	set.VisitAll(func(f *flag.Flag) {
		x := known[f.Name]
		fmt.Fprintf(w, "  --%-16s %s", f.Name, f.Usage)
		if x.Initial != "" {
			fmt.Fprintf(w, " (default %s)", x.Initial)
		}
		if x.Env != "" {
			fmt.Fprintf(w, " [%s]", x.Env)
		}
		fmt.Fprintln(w)
	})
	fmt.Fprintln(w, "\nFrom the environment only, in VARIABLE or in a file that VARIABLE_FILE names:")
	for _, x := range all {
		if x.Secret && x.Env != "" {
			fmt.Fprintf(w, "  %-18s %s\n", x.Env, x.Help)
		}
	}
}

// Secrets are the values that nothing printed may contain, longest first so that one
// which contains another is hidden as a whole.
func Secrets(environ func(string) (string, bool)) []string {
	var out []string
	for _, x := range Settings(&Config{}) {
		if !x.Secret {
			continue
		}
		if g, ok, err := fromEnvironment(environ, x); err == nil && ok {
			out = append(out, secretParts(g.value)...)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(out)
}

// secretParts is a secret and, of an address, the password in it: as it stands
// there, and as it is meant. What is too short to be told from a word is left out.
func secretParts(secret string) []string {
	parts := []string{secret}
	if u, err := url.Parse(secret); err == nil {
		if password, ok := u.User.Password(); ok {
			parts = append(parts, password, url.QueryEscape(password), url.PathEscape(password))
		}
		parts = append(parts, u.Query().Get("sentinel_password"))
	}
	return slices.DeleteFunc(parts, func(p string) bool { return len(p) < 4 })
}

// Lookup returns what the environment, or the file that it names, gives for the setting
// with this variable, whether it is good or not.
func Lookup(environ func(string) (string, bool), env string) (value string, ok bool) {
	for _, x := range Settings(&Config{}) {
		if x.Env != env {
			continue
		}
		g, ok, err := fromEnvironment(environ, x)
		return g.value, ok && err == nil
	}
	return "", false
}
