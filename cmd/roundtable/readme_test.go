package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/cmd/roundtable/doctor"
)

var update = flag.Bool("update", false, "write the generated tables of the documents anew")

// repository is the root of the repository, where the documents are.
const repository = "../../"

// TestGeneratedTables keeps the tables of the documents that say what the program is, between
// their marks, as it is.
func TestGeneratedTables(t *testing.T) {
	for _, x := range []struct{ page, mark, table string }{
		{"README.md", "promises", promiseList()},
		{"docs/operating.md", "commands", commandTable()},
		{"docs/configuration.md", "settings", settingTable()},
		{"docs/voices.md", "voices", voiceTable(t)},
	} {
		old, err := os.ReadFile(repository + x.page)
		if err != nil {
			t.Fatal(err)
		}
		want, err := between(string(old), x.mark, x.table)
		if err != nil {
			t.Fatalf("%s: %v", x.page, err)
		}
		if *update {
			if err := os.WriteFile(repository+x.page, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(string(old), want); diff != "" {
			t.Errorf("%s is stale; run make generate (-page +program)\n%s", x.page, diff)
		}
	}
}

// between replaces what stands between <!-- mark --> and <!-- /mark -->.
func between(page, mark, table string) (string, error) {
	before, rest, ok := strings.Cut(page, "<!-- "+mark+" -->\n")
	_, after, closed := strings.Cut(rest, "<!-- /"+mark+" -->")
	if !ok || !closed {
		return "", fmt.Errorf("there is no place for %s", mark)
	}
	return before + "<!-- " + mark + " -->\n" + table + "<!-- /" + mark + " -->" + after, nil
}

// promiseList is what doctor names when an accident can break it.
func promiseList() string {
	var b bytes.Buffer
	for i, p := range doctor.Promises() {
		fmt.Fprintf(&b, "%d. **%s%s:** %s.\n", i+1, strings.ToUpper(p.Name[:1]), p.Name[1:], p.Says)
	}
	return b.String()
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
	for _, x := range config.Settings(&config.Config{}) {
		name, initial := "`--"+x.Name+"`", ""
		if x.Secret {
			name = "(a secret: no flag, no key)"
		}
		if x.Initial != "" {
			initial = "`" + x.Initial + "`"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", name, x.Env, initial, cell(x.Help))
	}
	return b.String()
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
