package manifests

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/analysis"
)

// inventory is the steps that ship (FR-012): id, file, title, depth, outputs, what it
// depends on.
const inventory = `00-01|01-scope-estimation.md|Scope Estimation|standard|quick-scan.md|
00-02|02-keyword-search.md|Keyword Search|brief|quick-scan.md|00-01
00-03|03-file-count.md|File Count Estimation|brief|quick-scan.md|00-02
01-01|01-business-context.md|Business Context Discovery|standard|requirements-spec.md|
01-02|02-user-needs.md|User Needs Discovery|standard|requirements-spec.md|01-01
01-03|03-ux-journey.md|User Experience & Journeys|standard|requirements-spec.md|01-02
01-04|04-technical-context.md|Technical Context|standard|requirements-spec.md|01-01
01-05|05-quality-risk.md|Quality & Risk Assessment|standard|requirements-spec.md, nfr-matrix.md|01-04
01-06|06-feature-definition.md|Core Feature Definition|deep|requirements-spec.md|01-03
01-07|07-user-stories.md|User Story Writing|standard|user-stories.json|01-06
01-08|08-prioritization.md|MoSCoW Prioritization|brief|requirements-spec.md, traceability-matrix.csv|01-06
02-01|01-blast-radius.md|Blast Radius Assessment|standard|impact-analysis.md|
02-02|02-entry-points.md|Entry Point Identification|standard|impact-analysis.md|02-01
02-03|03-risk-zones.md|Risk Zone Analysis|deep|impact-analysis.md|02-01
02-04|04-impact-summary.md|Impact Summary & User Review|brief|impact-analysis.md|02-03
03-01|01-architecture-options.md|Architecture Options & Tradeoffs|deep|architecture-overview.md|
03-02|02-technology-decisions.md|Technology Decisions|standard|architecture-overview.md, adrs/|03-01
03-03|03-integration-design.md|Integration Architecture|standard|architecture-overview.md|03-01
03-04|04-architecture-review.md|Architecture Review & Approval|brief|architecture-overview.md|03-03
04-01|01-module-design.md|Module Design & Boundaries|deep|module-design.md|
04-02|02-interface-contracts.md|Interface Contracts|deep|interface-spec.md|04-01
04-03|03-data-flow.md|Data Flow & State Management|standard|data-flow.md|04-01
04-04|04-error-handling.md|Error Handling & Validation|standard|error-taxonomy.md|04-02
04-05|05-design-review.md|Design Review & Approval|brief|design-summary.md|04-04
`

// TestInventory compares the embedded steps with that table (FR-012,
// AC-003-05).
func TestInventory(t *testing.T) {
	set := mustLoad(t, nil)
	if len(set.Steps.Remarks) > 0 {
		t.Errorf("the embedded steps need mending: %v", set.Steps.Remarks)
	}
	var got strings.Builder
	for _, p := range set.Steps.Catalogue.Phases {
		for _, f := range p.Steps {
			_, file, _ := strings.Cut(f.File, "/")
			fmt.Fprintf(&got, "%s|%s|%s|%s|%s|%s\n", f.ID, file, f.Title, f.Depth, strings.Join(f.Outputs, ", "), strings.Join(f.DependsOn, ", "))
			if f.Persona != p.Lead {
				t.Errorf("%s is led by %s, its phase by %s", f.ID, f.Persona, p.Lead)
			}
		}
	}
	if diff := cmp.Diff(inventory, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEmbeddedStepsAreComplete holds every embedded step to its form (AC-010-05):
// modes that deepen, criteria that words can check, a place in every output.
func TestEmbeddedStepsAreComplete(t *testing.T) {
	places := map[string]string{}
	for _, p := range mustLoad(t, nil).Steps.Catalogue.Phases {
		for _, f := range p.Steps {
			brief, standard, deep := len(f.Body.Mode(analysis.Brief).Prompts), len(f.Body.Mode(analysis.Standard).Prompts), len(f.Body.Mode(analysis.Deep).Prompts)
			if brief < 2 || brief > 3 || standard <= brief || deep <= standard {
				t.Errorf("%s has %d, %d and %d prompts", f.ID, brief, standard, deep)
			}
			if len(f.Body.Criteria) < 2 {
				t.Errorf("%s has %d criteria", f.ID, len(f.Body.Criteria))
			}
			for _, c := range f.Body.Criteria {
				if len(c.Terms) == 0 {
					t.Errorf("%s: the criterion %q names no terms", f.ID, c.Text)
				}
			}
			for _, o := range f.Outputs {
				if !slices.ContainsFunc(f.Body.Targets, func(target analysis.Target) bool { return target.File == o && target.Form != "" }) {
					t.Errorf("%s does not say what it writes into %s", f.ID, o)
				}
			}
			for _, target := range f.Body.Targets {
				place := target.File + " " + target.Name
				if other, taken := places[place]; taken && other != f.ID {
					t.Errorf("%s and %s both fill %s", other, f.ID, place)
				}
				places[place] = f.ID
			}
		}
	}
}

// TestPromptsAreInTheirPersonasVoice finds no prompt with a word that its persona
// must not use of its own accord (FR-010), and every prompt a question or a
// request of one message.
func TestPromptsAreInTheirPersonasVoice(t *testing.T) {
	set := mustLoad(t, nil)
	for _, p := range set.Steps.Catalogue.Phases {
		for _, f := range p.Steps {
			persona, _ := set.Roster.Persona(f.Persona)
			for _, depth := range analysis.Depths() {
				for _, prompt := range f.Body.Mode(depth).Prompts {
					if strings.Count(prompt, "?") > 2 || len(prompt) > 240 {
						t.Errorf("%s asks too much at once: %s", f.ID, prompt)
					}
					for _, word := range persona.Vocabulary.Forbidden {
						if regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(word) + `\b`).MatchString(prompt) {
							t.Errorf("%s: %s would not say %q: %s", f.ID, persona.Name, word, prompt)
						}
					}
				}
			}
		}
	}
}
