package manifests

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/persona"
)

func mustLoad(t *testing.T, overrides fs.FS) Set {
	t.Helper()
	set, err := Load(overrides)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return set
}

// AC-002-05: the three are defined in full.
func TestEmbeddedRoster(t *testing.T) {
	roster := mustLoad(t, nil).Roster
	var identities []string
	for _, s := range roster.Seats() {
		identities = append(identities, s.Identity()+" "+s.Title)
	}
	want := []string{
		"Maya Chen (Business Analyst) BA", "Alex Rivera (Solutions Architect) Architect", "Jordan Park (System Designer) Designer",
	}
	if diff := cmp.Diff(want, identities); diff != "" {
		t.Errorf("roster order (-want +got):\n%s", diff)
	}
	for _, p := range roster.Personas {
		for _, count := range []struct {
			what      string
			got, want int
		}{
			{"domain keywords", len(p.Domain), 40}, {"good examples", len(p.Examples.Good), 6}, {"bad examples", len(p.Examples.Bad), 4},
			{"principles", len(p.Principles), 4}, {"sentence patterns", len(p.Patterns), 4}, {"behaviours", len(p.Behaviours), 4},
			{"forbidden patterns", len(p.Never), 3},
		} {
			if count.got < count.want {
				t.Errorf("%s has %d %s, want at least %d", p.Name, count.got, count.what, count.want)
			}
		}
	}
}

// A persona's own good lines keep its own rules (FR-010).
func TestGoodExamplesKeepTheirVocabulary(t *testing.T) {
	for _, p := range mustLoad(t, nil).Roster.Personas {
		for _, line := range p.Examples.Good {
			for _, word := range p.Vocabulary.Forbidden {
				if strings.Contains(" "+strings.ToLower(line)+" ", " "+word+" ") {
					t.Errorf("%s's good example uses the forbidden %q: %s", p.Name, word, line)
				}
			}
		}
	}
}

// AC-003-05, AC-003-06: who leads each phase, and the default persona for an unknown one.
func TestPhaseLeads(t *testing.T) {
	roster := mustLoad(t, nil).Roster
	for _, tt := range []struct {
		phase string
		lead  persona.Key
		known bool
	}{
		{"00-quick-scan", "business-analyst", true},
		{"01-requirements", "business-analyst", true},
		{"02-impact-analysis", "solutions-architect", true},
		{"03-architecture", "solutions-architect", true},
		{"04-design", "system-designer", true},
		{"05-test-strategy", "business-analyst", false},
	} {
		t.Run(tt.phase, func(t *testing.T) {
			lead, known := roster.Lead(tt.phase)
			if lead != tt.lead || known != tt.known {
				t.Errorf("Lead = %q, %v, want %q, %v", lead, known, tt.lead, tt.known)
			}
		})
	}
}

// persona returns a small complete persona file.
func voicedAs(key, name string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("key: " + key + "\nname: " + name + `
role: Security Engineer
title: Security
perspective: a security
icon: ":lock:"
introduction: I look for what somebody could abuse.
style: Dry.
lens: Abuse, secrets and permissions
principles: [{name: Least privilege, text: Give what is needed and no more.}]
patterns: ["Names the attacker."]
behaviours: [Asks who may do this.]
never: [Does not estimate effort.]
examples: {good: ["Who may call this without a login?"]}
acknowledgement: Taken up, {point}.
domain: [secret, permission]
`)}
}

func TestFourthPersonaIsAFile(t *testing.T) {
	roster := mustLoad(t, fstest.MapFS{"personas/security-engineer.yaml": voicedAs("security-engineer", "Sam Osei")}).Roster
	var got []string
	for _, s := range roster.Seats() {
		got = append(got, s.First())
	}
	if diff := cmp.Diff([]string{"Maya", "Sam", "Alex", "Jordan"}, got); diff != "" {
		t.Errorf("cast (-want +got):\n%s", diff)
	}
}

func TestWhollyDifferentCastIsFiles(t *testing.T) {
	roster := mustLoad(t, fstest.MapFS{
		"personas/nurse.yaml":  voicedAs("nurse", "Ines Falk"),
		"personas/lawyer.yaml": voicedAs("lawyer", "Tomás Vega"),
		"phases.yaml": {Data: []byte("default: nurse\ncast: [nurse, lawyer]\n" +
			"phases: [{key: 01-requirements, lead: lawyer, description: What the law asks}]\n")},
	}).Roster
	var got []string
	for _, s := range roster.Seats() {
		got = append(got, s.First())
	}
	if diff := cmp.Diff([]string{"Ines", "Tomás"}, got); diff != "" {
		t.Errorf("cast (-want +got):\n%s", diff)
	}
	if lead, _ := roster.Lead("04-design"); lead != "nurse" {
		t.Errorf("lead of an unlisted phase = %q, want the default", lead)
	}
}

func TestOverrideReplacesOneFile(t *testing.T) {
	maya, err := fs.ReadFile(embedded, "personas/business-analyst.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(maya), `icon: ":mag:"`, "icon: https://example.com/maya.png\nmodel: anthropic:some-model", 1)
	set := mustLoad(t, fstest.MapFS{"personas/business-analyst.yaml": {Data: []byte(changed)}})
	p, _ := set.Roster.Persona("business-analyst")
	if p.Icon != "https://example.com/maya.png" || p.Model != "anthropic:some-model" {
		t.Errorf("icon %q, model %q: the override was not read", p.Icon, p.Model)
	}
	if !bytes.Equal(set.SlackApp, mustLoad(t, nil).SlackApp) {
		t.Error("the Slack manifest changed although nothing overrides it")
	}
}

func TestProblemsNameFileAndLine(t *testing.T) {
	good := string(voicedAs("a", "Ada Lovelace").Data)
	deep := strings.Repeat("[", 30) + strings.Repeat("]", 30)
	for _, tt := range []struct {
		name, file, content string
		want                []string
	}{
		{"unknown key", "personas/a.yaml", good + "favourite: tea\n", []string{"personas/a.yaml:17: field favourite is not known"}},
		{"unknown key inside", "personas/a.yaml", good + "vocabulary:\n  forbiden: [x]\n", []string{"personas/a.yaml:18: field forbiden is not known"}},
		{"duplicate key", "personas/a.yaml", good + "title: Two\n", []string{`personas/a.yaml:17: repeats the key "title" of line 4`}},
		{"alias", "personas/a.yaml", good + "model: &m x\naliases: [*m]\n", []string{"personas/a.yaml:17: sets an anchor", "personas/a.yaml:18: uses an alias"}},
		{"foreign tag", "personas/a.yaml", good + "model: !secret x\n", []string{"personas/a.yaml:17: uses !secret"}},
		{"merge key", "personas/a.yaml", good + "<<: {model: x}\n", []string{"personas/a.yaml:17: uses !!merge"}},
		{"syntax", "personas/a.yaml", "key: [\nname: x\n", []string{"personas/a.yaml:2: "}},
		{"too large", "personas/a.yaml", good + strings.Repeat("# padding\n", 30_000), []string{"personas/a.yaml:1: is larger than 256 KiB"}},
		{"not UTF-8", "personas/a.yaml", "key: a\nname: \xff\n", []string{"personas/a.yaml:2: is not UTF-8"}},
		{"too deep", "personas/a.yaml", good + "aliases: " + deep + "\n", []string{"personas/a.yaml:17: is nested more than 16 deep"}},
		{"two documents", "personas/a.yaml", good + "---\nkey: b\n", []string{"holds more than one document"}},
		{"empty", "personas/a.yaml", "", []string{"personas/a.yaml:1: is empty"}},
		{"only a comment", "personas/a.yaml", "# later\n", []string{"personas/a.yaml:1: is empty"}},
		{"not a mapping", "personas/a.yaml", "- a\n", []string{"personas/a.yaml:1: must be a mapping"}},
		{"wrong type", "personas/a.yaml", strings.Replace(good, "role: Security Engineer", "role: [x]", 1), []string{"personas/a.yaml:3: cannot unmarshal !!seq into string"}},
		{"several at once", "personas/a.yaml", strings.NewReplacer("key: a\n", "key: A B\n", `":lock:"`, "lock", "{point}", "that").Replace(good),
			[]string{`personas/a.yaml:1: the key "A B"`, `personas/a.yaml:6: the icon "lock"`, `personas/a.yaml:15: the acknowledgement`}},
		{"missing field", "personas/a.yaml", strings.Replace(good, "lens: Abuse, secrets and permissions\n", "", 1), []string{`"lens" is missing`}},
		{"taken name", "personas/a.yaml", strings.Replace(good, "Ada Lovelace", "alex Ander", 1), []string{`the name "Alex" addresses a persona of personas/a.yaml already`}},
		{"taken key", "personas/zz.yaml", strings.Replace(good, "key: a\n", "key: system-designer\n", 1), []string{`personas/zz.yaml:1: the key "system-designer" is that of personas/system-designer.yaml`}},
		{"wrong ending", "personas/a.yml", good, []string{`personas/a.yml:1: must end in ".yaml"`}},
		{"lead unknown", "phases.yaml", "default: nobody\nphases:\n  - {key: x, lead: nobody, description: y}\n",
			[]string{`phases.yaml:1: the default "nobody"`, `phases.yaml:3: the phase "x" is led by "nobody"`}},
		{"phase twice", "phases.yaml", "default: business-analyst\nphases:\n  - {key: x, lead: business-analyst, description: y}\n  - {key: x, lead: business-analyst, description: y}\n",
			[]string{`phases.yaml:4: the phase "x" stands here twice`}},
		{"cast too small", "phases.yaml", "default: business-analyst\ncast: [business-analyst]\nphases:\n  - {key: x, lead: business-analyst, description: y}\n",
			[]string{"phases.yaml:1: the cast has 1 personas; a discussion needs 2"}},
		{"cast unknown", "phases.yaml", "default: business-analyst\ncast: [business-analyst, system-designer, nobody]\nphases:\n  - {key: x, lead: business-analyst, description: y}\n",
			[]string{`phases.yaml:2: the cast names "nobody"`}},
		{"Slack manifest", "slack-app.json", "{\n  nonsense", []string{"slack-app.json:2: is not a JSON object"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, err := Load(fstest.MapFS{tt.file: {Data: []byte(tt.content)}})
			if err == nil {
				t.Fatal("Load accepted it")
			}
			if len(set.Roster.Personas) > 0 {
				t.Error("a refused set is not empty")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error is\n%v\nand lacks %q", err, want)
				}
			}
		})
	}
}

func TestProblemsOfSeveralFilesAreReportedTogether(t *testing.T) {
	_, err := Load(fstest.MapFS{
		"personas/a.yaml": {Data: []byte("nonsense: 1\n")},
		"personas/b.yaml": {Data: []byte("nonsense: 1\n")},
		"phases.yaml":     {Data: []byte("nonsense: 1\n")},
		"slack-app.json":  {Data: []byte("nonsense")},
	})
	if err == nil {
		t.Fatal("Load accepted it")
	}
	for _, file := range []string{"personas/a.yaml:1:", "personas/b.yaml:1:", "phases.yaml:1:", "slack-app.json:1:"} {
		if !strings.Contains(err.Error(), file) {
			t.Errorf("error is\n%v\nand lacks %s", err, file)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(voicedAs("a", "Ada Lovelace").Data)
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("? {a: b}\n: c\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		set, err := Load(fstest.MapFS{"personas/a.yaml": {Data: b}})
		if err == nil && len(set.Roster.Personas) < 4 {
			t.Error("the persona was neither read nor refused")
		}
		if err != nil && !strings.Contains(err.Error(), ".yaml:") {
			t.Errorf("the error names no file and line: %v", err)
		}
	})
}
