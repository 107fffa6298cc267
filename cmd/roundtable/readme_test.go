package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated tables of README.md anew")

const readme = "../../README.md"

// TestReadme keeps the README's tables of commands, settings and voices, between their
// marks, as the program is.
func TestReadme(t *testing.T) {
	old, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	want := string(old)
	for mark, table := range map[string]string{"commands": commandTable(), "settings": settingTable(), "voices": voiceTable(t)} {
		if want, err = between(want, mark, table); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.WriteFile(readme, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(old), want); diff != "" {
		t.Errorf("README.md is stale; run go test ./cmd/roundtable -run TestReadme -update (-page +program)\n%s", diff)
	}
}

// between replaces what stands between <!-- mark --> and <!-- /mark -->.
func between(page, mark, table string) (string, error) {
	before, rest, ok := strings.Cut(page, "<!-- "+mark+" -->\n")
	_, after, closed := strings.Cut(rest, "<!-- /"+mark+" -->")
	if !ok || !closed {
		return "", fmt.Errorf("%s has no place for %s", readme, mark)
	}
	return before + "<!-- " + mark + " -->\n" + table + "<!-- /" + mark + " -->" + after, nil
}

func commandTable() string {
	var b bytes.Buffer
	b.WriteString("| command | what it does |\n| --- | --- |\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSpace("roundtable "+c.name+" "+c.args), cell(c.help))
	}
	return b.String()
}

func settingTable() string {
	var b bytes.Buffer
	b.WriteString("| flag, key of `roundtable.yaml` | variable | default | meaning |\n| --- | --- | --- | --- |\n")
	for _, x := range settings(&config{}) {
		name, initial := "`--"+x.name+"`", ""
		if x.secret {
			name = "(a secret: no flag, no key)"
		}
		if x.initial != "" {
			initial = "`" + x.initial + "`"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", name, x.env, initial, cell(x.help))
	}
	return b.String()
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
