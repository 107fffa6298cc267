package panel

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// asking1 asks a model and notes what was asked.
type asking1 struct {
	asked *[]llm.Question
	model llm.Model
}

func (a asking1) Ask(ctx context.Context, q llm.Question, sink llm.Sink) (llm.Result, error) {
	*a.asked = append(*a.asked, q)
	return llm.Only(a.model).Ask(ctx, q, sink)
}

// entry is a statement as a model writes it.
func entry(turns, basis string, cells ...string) string {
	return `{"turns":[` + turns + `],"basis":"` + basis + `","cells":` + line(cells) + `}`
}

// grouped is a group of statements, written the way a model writes it.
func grouped(label string, columns []string, entries ...string) string {
	if columns == nil {
		columns = []string{}
	}
	return `{"label":` + line(label) + `,"columns":` + line(columns) + `,"entries":[` + strings.Join(entries, ",") + `]}`
}

func placed(place, document string, groups ...string) string {
	return `{"place":` + place + `,"document":` + document + `,"groups":[` + strings.Join(groups, ",") + `]}`
}

func composing(criteria, point string, parts ...string) string {
	return `{"criteria":` + criteria + `,"parts":[` + strings.Join(parts, ",") + `],"summary":"Technicians come first.","point":` + point + `}`
}

// composed1 is a sound draft of the step on user needs.
var composed1 = composing(all, "null", placed("1", "null",
	grouped("", []string{"Group", "Wants to"}, entry("2,4", "said", "Technicians | field", "write notes\nin tunnels"), entry("", "assumed", "Dispatchers", "read them")),
	grouped("**Conflicting needs**:", nil, entry("2", "said", "Technicians come first."), entry("", "open", "Who settles it?")),
))

const document1 = `| Group | Wants to | Source |
| --- | --- | --- |
| Technicians \| field | write notes; in tunnels | Priya/Sam |
| Dispatchers | read them | Assumption |

**Conflicting needs**:

- [Priya] Technicians come first.
- [Open] Who settles it?
`

// FR-116: what goes into a document is said by somebody, with the name, or is called
// an assumption or an open question; criteria are met by turns.
func TestCompose(t *testing.T) {
	m := puppet(composed1)
	got, err := panelOf(t, m).Compose(t.Context(), inquiring(t, needs()...))
	if err != nil {
		t.Fatal(err)
	}
	want := &analysis.Draft{
		Summary: "Technicians come first.", Judged: true,
		Parts: []analysis.Part{{File: "requirements-spec.md", Part: analysis.PartSection, Name: "Users and Needs", Content: document1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := len(m.requests()); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
}

// What a draft lacks is asked for once more; then the better one stands.
func TestComposeIsMended(t *testing.T) {
	uncited := strings.Replace(composed1, `"turns":[2],"basis":"said"`, `"turns":[3],"basis":"said"`, 1) // the lead's turn
	uncounted := strings.Replace(composed1, all, "[]", 1)
	unmet := strings.Replace(composed1, all, `[{"number":1,"turns":[2]},{"number":2,"turns":[]}]`, 1)
	tests := []struct {
		name    string
		replies []reply
		fault   string
		asked   int
		named   string // in the second question
		unmet   []int
		judged  bool
		lacks   string // in the document
		none    bool
		reason  thread.Reason
	}{
		{"sound", []reply{{text: composed1}}, "", 1, "", nil, true, "", false, ""},
		{"a statement cites the lead, then is mended", []reply{{text: uncited}, {text: composed1}}, "", 2, "1 entries have basis said and cite no turn of a person", nil, true, "", false, ""},
		{"a statement cites nobody: an assumption", []reply{{text: uncited}}, "", 2, "1 entries", nil, true, "- [Assumption] Technicians come first.", false, ""},
		{"no criterion is judged, then all are", []reply{{text: uncounted}, {text: composed1}}, "", 2, "criteria is empty", nil, true, "", false, ""},
		{"no criterion is ever judged: words decide", []reply{{text: uncounted}}, "", 2, "criteria is empty", nil, false, "", false, ""},
		{"two criteria are not met", []reply{{text: unmet}}, "", 1, "", []int{1, 2}, true, "", false, ""},
		{"the second attempt is not mended", []reply{{text: uncited}}, "there is no part", 1, "", nil, true, "- [Assumption] Technicians come first.", false, ""},
		{"a failure while mending: the first stands", []reply{{text: uncited}, {err: &llm.Error{Kind: llm.Overloaded}}}, "", 2, "1 entries", nil, true, "- [Assumption] Technicians", false, ""},
		{"prose while mending: the first stands", []reply{{text: uncited}, {text: "no"}}, "", 2, "1 entries", nil, true, "- [Assumption] Technicians", false, ""},
		{"prose", []reply{{text: "They agreed."}}, "", 1, "", nil, false, "", true, ""},
		{"another object", []reply{{text: `{"result":1}`}}, "", 1, "", nil, false, "", true, ""},
		{"cut at its length", []reply{{text: composed1[:200], stop: llm.StopLength}}, "", 1, "", nil, false, "", true, ""},
		{"without end", []reply{{text: strings.Repeat(`{"x":"`, answerLimit)}}, "", 1, "", nil, false, "", true, ""},
		{"cut off", []reply{{text: composed1[:200], err: &llm.Error{Kind: llm.Transient}}}, "", 1, "", nil, false, "", true, thread.ReasonModelUnavailable},
		{"refused", []reply{{stop: llm.StopRefusal}}, "", 1, "", nil, false, "", true, thread.ReasonModelRefused},
		{"no key", []reply{{err: &llm.Error{Kind: llm.Auth}}}, "", 1, "", nil, false, "", true, thread.ReasonModelConfig},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := &scripted{name: "test:model", replies: test.replies}
			q := inquiring(t, needs()...)
			q.Fault = test.fault
			got, err := panelOf(t, m).Compose(t.Context(), q)
			wantReason(t, err, test.reason)
			requests := m.requests()
			if len(requests) != test.asked {
				t.Fatalf("asked %d times, want %d", len(requests), test.asked)
			}
			if test.named != "" && !strings.Contains(flat(requests[1]), test.named) {
				t.Errorf("the second question does not say %q", test.named)
			}
			if test.fault != "" && !strings.Contains(flat(requests[0]), test.fault) {
				t.Error("the rules' fault is not named")
			}
			if got == nil || test.none {
				if (got == nil) != test.none {
					t.Errorf("got %+v", got)
				}
				return
			}
			if diff := cmp.Diff(test.unmet, got.Unmet); diff != "" || got.Judged != test.judged {
				t.Errorf("judged %v, unmet %s", got.Judged, diff)
			}
			if text := got.Parts[0].Content; !strings.Contains(text, test.lacks) {
				t.Errorf("the document lacks %q:\n%s", test.lacks, text)
			}
		})
	}
}

// A place without a part is asked for; a part for no place is left out.
func TestComposeFillsEveryPlace(t *testing.T) {
	v := stepOf(t, "01-requirements", "05-quality-risk.md", "01-05", "Quality & Risk Assessment", analysis.Brief)
	risks := placed("1", "null", grouped("Risks", []string{"Risk"}, entry("2", "said", "Drafts vanish")))
	m := puppet(composing(all, "null", risks, placed("7", "null", grouped("", nil, entry("2", "said", "x")))),
		composing(all, "null", risks, placed("2", "null", grouped("", []string{"Id", "Quality", "Source"}, entry("2", "said", "NFR-001", "Fast", "everybody")))))
	got, err := panelOf(t, m).Compose(t.Context(), inquiringInto(t, v, needs()...))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(flat(m.requests()[1]), "Nothing is written for places 2:") {
		t.Error("the place that is not filled is not named")
	}
	var files []string
	for _, p := range got.Parts {
		files = append(files, p.File+": "+p.Name)
	}
	if diff := cmp.Diff([]string{"requirements-spec.md: Quality and Risks", "nfr-matrix.md: Quality Requirements"}, files); diff != "" {
		t.Error(diff)
	}
	if want := "| NFR-001 | Fast | Priya |"; !strings.Contains(got.Parts[1].Content, want) {
		t.Errorf("got %s, want %s: who said it is not the model's to say", got.Parts[1].Content, want)
	}
}

// Lists of objects, rows and folders take the form of their artifacts.
func TestComposeForms(t *testing.T) {
	t.Run("objects", func(t *testing.T) {
		v := stepOf(t, "01-requirements", "07-user-stories.md", "01-07", "User Story Writing", analysis.Brief)
		m := puppet(composing(`[{"number":1,"turns":[2]},{"number":2,"turns":[]}]`, "null", placed("1", "null",
			grouped("Stories", []string{"id", "as_a", "acceptance_criteria", "no field"}, entry("4", "said", "US-001", "technician <& co>", "- a draft survives\n- a tunnel", "x"), entry("", "assumed", "US-002", "dispatcher", "", "")))))
		got, err := panelOf(t, m).Compose(t.Context(), inquiringInto(t, v, needs()...))
		if err != nil {
			t.Fatal(err)
		}
		want := `[{"id": "US-001", "as_a": "technician <& co>", "acceptance_criteria": ["a draft survives","a tunnel"], "source": "Sam"},
{"id": "US-002", "as_a": "dispatcher", "acceptance_criteria": [], "source": "Assumption"}]`
		if diff := cmp.Diff(want, got.Parts[0].Content); diff != "" || !json.Valid([]byte(got.Parts[0].Content)) {
			t.Error(diff)
		}
		if diff := cmp.Diff([]int{1}, got.Unmet); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("rows", func(t *testing.T) {
		v := stepOf(t, "01-requirements", "08-prioritization.md", "01-08", "MoSCoW Prioritization", analysis.Brief)
		m := puppet(composing(all, "null",
			placed("1", "null", grouped("", nil, entry("2", "said", "Drafts first."))),
			placed("2", "null", grouped("", nil, entry("2", "said", "FR-001", "Drafts, kept", "N-1", "Must", "US-001", "somebody", "surplus")),
				grouped("", []string{"priority", "requirement_id"}, entry("", "assumed", "Should", "FR-002")))))
		got, err := panelOf(t, m).Compose(t.Context(), inquiringInto(t, v, needs()...))
		if err != nil {
			t.Fatal(err)
		}
		want := "FR-001,\"Drafts, kept\",N-1,Must,US-001,Priya\nFR-002,,,Should,,Assumption\n"
		if diff := cmp.Diff(want, got.Parts[1].Content); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a folder", func(t *testing.T) {
		v := stepOf(t, "03-architecture", "02-technology-decisions.md", "03-02", "Technology Decisions", analysis.Brief)
		m := puppet(composing(all, "null",
			placed("1", "null", grouped("", nil, entry("2", "said", "SQLite."))),
			placed("2", `"../../ADRs/0001 Local Store.MD"`, grouped("Status", nil, entry("", "open", "Who approves it?")), grouped("Decision", nil, entry("4", "said", "Drafts stay on the device."))),
			placed("2", `"../.."`, grouped("", nil, entry("4", "said", "lost")))))
		got, err := panelOf(t, m).Compose(t.Context(), inquiringInto(t, v, needs()...))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Parts) != 2 || got.Parts[1].File != "adrs/0001-local-store.md" {
			t.Fatalf("got %+v", got.Parts)
		}
		want := "**Status**:\n\n- [Open] Who approves it?\n\n**Decision**:\n\n- [Sam] Drafts stay on the device.\n"
		if diff := cmp.Diff(want, got.Parts[1].Content); diff != "" {
			t.Error(diff)
		}
	})
}

// Feedback is worked in and acknowledged in the lead's words (AC-007-04); skipped
// steps leave drafts of what was said, or nothing (AC-007-06).
func TestComposeOfOtherPurposes(t *testing.T) {
	t.Run("feedback", func(t *testing.T) {
		q := inquiring(t, append(needs(), "Priya: Auditors read the notes, too.")...)
		q.Briefing.Purpose, q.Briefing.From = analysis.ForFeedback, 5
		m := puppet(composing("[]", `"auditors read the notes, too"`, placed("1", "null", grouped("Affected", nil, entry("5", "said", "Auditors read the notes.")))))
		got, err := panelOf(t, m).Compose(t.Context(), q)
		if err != nil || got.Point != "auditors read the notes, too" || got.Judged || len(got.Parts) != 1 {
			t.Errorf("got %+v, %v", got, err)
		}
		if prompt := flat(m.requests()[0]); !strings.Contains(prompt, "the turns from number 5 on") || strings.Contains(prompt, `"criteria":[{`) {
			t.Errorf("got %s", prompt)
		}
	})
	t.Run("a point that the lead would not make", func(t *testing.T) {
		q := inquiring(t, needs()...)
		q.Briefing.Purpose = analysis.ForFeedback
		m := puppet(composing("[]", `"the microservices and their middleware"`), composing("[]", `"who reads the notes"`))
		got, err := panelOf(t, m).Compose(t.Context(), q)
		if err != nil || got.Point != "who reads the notes" || len(m.requests()) != 2 {
			t.Errorf("got %+v, %v after %d questions", got, err, len(m.requests()))
		}
	})
	t.Run("skip", func(t *testing.T) {
		q := inquiring(t, needs()...)
		q.Briefing.Purpose = analysis.ForSkip
		got, err := panelOf(t, puppet(composing("[]", "null"))).Compose(t.Context(), q)
		if err != nil || len(got.Parts) != 0 || got.Judged {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// inquiringByRule is an inquirer that is no model.
type inquiringByRule struct{}

func (inquiringByRule) Inquire(context.Context, engine.Inquiry) (analysis.Asked, error) {
	return analysis.Asked{Question: "By rule?"}, nil
}

func (inquiringByRule) Compose(_ context.Context, q engine.Inquiry) (*analysis.Draft, error) {
	return &analysis.Draft{Summary: "By rule." + q.Fault}, nil
}

// In analyses as in discussions the standby speaks where no model answers, and only
// there (NFR-103).
func TestStandbyInAnalyses(t *testing.T) {
	standing := func(o *Options) {
		o.Standby = &Standby{Panel: byRule{}, Inquirer: inquiringByRule{}, Engine: "offline"}
	}
	for kind, stands := range map[llm.Kind]bool{llm.Overloaded: true, llm.Transient: true, llm.Refused: true, llm.Unknown: true, llm.Auth: false, llm.Config: false, llm.OverBudget: false} {
		t.Run(string(kind), func(t *testing.T) {
			p := panelOf(t, &scripted{replies: []reply{{err: &llm.Error{Kind: kind}}}}, standing)
			asked, askErr := p.Inquire(t.Context(), inquiring(t, needs()...))
			draft, draftErr := p.Compose(t.Context(), inquiring(t, needs()...))
			if !stands {
				for _, err := range []error{askErr, draftErr} {
					if _, ok := errors.AsType[*engine.PanelError](err); !ok {
						t.Errorf("got %v, want a panel's error", err)
					}
				}
				return
			}
			if err := errors.Join(askErr, draftErr); err != nil {
				t.Fatal(err)
			}
			if asked.Engine != "offline" || draft.Engine != "offline" {
				t.Errorf("got %v, %v, want both by offline", asked, draft)
			}
		})
	}
	t.Run("an answer that nobody can read, twice", func(t *testing.T) {
		q := inquiring(t, needs()...)
		q.Fault = "the result could not be read"
		got, err := panelOf(t, puppet("prose"), standing).Compose(t.Context(), q)
		if err != nil || got == nil || got.Engine != "offline" || got.Summary != "By rule." {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

// wellFormed reports what is wrong with a part as an artifact would take it.
func wellFormed(p analysis.Part, t analysis.Target) string {
	switch p.Part {
	case analysis.PartList:
		var list []map[string]any
		if err := json.Unmarshal([]byte(p.Content), &list); err != nil || len(list) == 0 {
			return "no list of objects"
		}
	case analysis.PartRows:
		r := csv.NewReader(strings.NewReader(p.Content))
		r.FieldsPerRecord = len(t.Columns())
		if _, err := r.ReadAll(); err != nil {
			return "no rows of so many columns"
		}
	case analysis.PartSection:
		for l := range strings.Lines(p.Content) {
			if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "- [") && !strings.HasPrefix(l, "|") && !strings.HasPrefix(l, "**") {
				return "a line that is no statement: " + l
			}
		}
	}
	return ""
}
