package analysis

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestWords holds the sentences to the prescribed templates and examples.
func TestWords(t *testing.T) {
	cast := testCast()
	maya, alex := cast[0], cast[1]
	requirements := PhaseView{Key: "01-requirements", Number: "01", Name: "Requirements", Description: "Requirements discovery", Lead: maya.Key, Documents: []string{"requirements spec", "user stories"}}
	impact := PhaseView{Key: "02-impact-analysis", Number: "02", Name: "Impact Analysis", Description: "Impact and blast radius", Lead: alex.Key}
	resumed := Survey{Step: &StepView{Title: "Technical Context"}, Done: []string{"Business Context", "User Needs", "User Journeys"}}
	recalled := Survey{Step: &StepView{Title: "NFR Extraction"}, Done: []string{"User Experience & Journeys", "Acceptance Criteria"}, Past: []Past{
		{"01-03", "Identified 3 additional acceptance criteria for offline sync."}, {"01-03", "API keys stay with the shop"},
	}}
	tests := []struct{ name, got, want string }{
		{"the header (FR-011)", headerText(maya, StepView{ID: "01-02", Title: "User Needs Discovery"}), "Maya Chen (Business Analyst) -- Step 01-02: User Needs Discovery"},
		{"AC-011-01", greetingText(maya, requirements, false), "Hi, I'm Maya Chen, your Business Analyst. I'll be guiding you through requirements discovery. Let's get started."},
		{"a lead who is known", greetingText(maya, requirements, true), "On to requirements discovery."},
		{"AC-011-02", resumedText(resumed), "Welcome back. Last time we completed Business Context, User Needs, and User Journeys. Let's pick up from Technical Context."},
		{"AC-009-03", resumedText(recalled), "Welcome back. Last time we completed User Experience & Journeys and Acceptance Criteria. We also had a roundtable discussion on step 01-03 where we identified 3 additional acceptance criteria for offline sync. We also had a roundtable discussion on step 01-03 where API keys stay with the shop. Let's pick up from NFR Extraction."},
		{"AC-011-03", handOverText(maya, alex, requirements, impact), "Maya Chen has finished requirements discovery. Handing off to Alex Rivera (Solutions Architect) who will guide us through impact and blast radius."},
		{"AC-011-03: what is worked with", reviewedText(maya, requirements, "27 new files"), "I've reviewed Maya's requirements spec and user stories. Here's what I'm working with: 27 new files."},
		{"brief is announced", announcementText(Chosen{Brief, FromQuickScan}), "This looks straightforward. I'll keep the analysis brief -- say 'deep' if you want the full treatment."},
		{"deep is announced", announcementText(Chosen{Deep, FromQuickScan}), "This is a substantial change. I'll do a thorough analysis -- say 'brief' if you want to speed things up."},
		{"standard is not", announcementText(Chosen{Standard, FromQuickScan}), ""},
		{"nor what was asked for", announcementText(Chosen{Deep, FromOverride}), ""},
		{"nor a step's own", announcementText(Chosen{Deep, FromStep}), ""},
		{"AC-006-05", switchedText(Deep), "Got it, switching to deep mode."},
		{"AC-007-06", skippedText(), "Skipping remaining steps in this phase. I'll produce draft artifacts based on what we've discussed so far."},
		{"AC-007-04", acknowledgedText("That's important -- so {point}. Let me update the requirements.", "Refunds go to the till."), "That's important -- so refunds go to the till. Let me update the requirements."},
		{"AC-007-04 without a manner", acknowledgedText("", "Refunds"), "Noted: refunds."},
		{"AC-007-04 without a point", acknowledgedText("Noted. I'll revise {point}.", " "), "Noted. I'll revise what you just said."},
		{"one criterion", probeText([]string{"A number is given"}), "Before I write this down, one thing is still open: A number is given. What can you say about it? If nobody knows, say \"done\" and I will note it as open."},
		{"two criteria", probeText([]string{"A.", "B."}), "Before I write this down, two things are still open:\n\n- A.\n- B.\n\nWhat can you say about them? If nobody knows, say \"done\" and I will note them as open."},
		{"an analysis' own budget", stallText(overBudget(thread.Budget{Scope: thread.BudgetDiscussion, Limit: thread.Spend{Tokens: 600_000}})),
			"This analysis has used up its budget for language models (600,000 tokens). Whoever runs Roundtable can raise it: press Try again then, or say \"done\" to have what was said written down without a model."},
		{"the day's budget", stallText(overBudget(thread.Budget{Scope: thread.BudgetDay, Limit: thread.Spend{Micros: 5_000_000}, Renews: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)})),
			"Today's budget for language models ($5.00) is used up. It is renewed on 22 November at 00:00 UTC: press Try again then, or say \"done\" to have what was said written down without a model. Whoever runs Roundtable can raise it."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func overBudget(b thread.Budget) thread.Stall {
	return thread.Stall{Reason: thread.ReasonOverBudget, Budget: &b}
}

// TestABudgetIsNamed says which budget stops an analysis, in the thread and in its
// introduction (I10, FR-109).
func TestABudgetIsNamed(t *testing.T) {
	a := beingWritten(false)
	a.State, a.Writing, a.Ask = StateAsking, nil, &Ask{Kind: AskInquire, Key: "A1/q"}
	spent := overBudget(thread.Budget{Scope: thread.BudgetDiscussion, Limit: thread.Spend{Tokens: 600_000}})
	r := Step(a, Input{ID: "f", At: time.Unix(1, 0), Event: Failed{Effect: "A1/q", Reason: spent.Reason, Budget: spent.Budget}})
	post, ok := r.Effects[0].(Post)
	if want := stallText(spent); !ok || post.Message.Text != want || !strings.Contains(Root(r.Analysis).Status, want) {
		t.Errorf("said %v, shown %q", r.Effects, Root(r.Analysis).Status)
	}
}

func TestNames(t *testing.T) {
	for key, want := range map[string]string{"impact-analysis": "Impact Analysis", "quick-scan": "Quick Scan", "x": "X", "": ""} {
		if got := titled(key); got != want {
			t.Errorf("titled(%q) = %q, want %q", key, got, want)
		}
	}
	for key, want := range map[string]string{"01-requirements": "01-", "requirements": "", "1-x": "", "01-": "", "": ""} {
		if got := Prefix(key); got != want {
			t.Errorf("Prefix(%q) = %q, want %q", key, got, want)
		}
	}
	for _, text := range []string{"API keys", "I think so", "Über alles", "already", "", "A shop"} {
		want := map[string]string{"Über alles": "über alles"}[text]
		if want == "" {
			want = text
		}
		if got := lowered(text); got != want {
			t.Errorf("lowered(%q) = %q, want %q", text, got, want)
		}
	}
}

// What an elaboration came to is said once: a summary that is one of the decisions
// does not stand beside it, cut or not.
func TestConcludedText(t *testing.T) {
	for _, c := range []struct {
		name, summary string
		decisions     []string
		want          string
	}{
		{"nothing", "", nil, ""},
		{"no decision", "Discussed tills; open: who pays?", nil, "Discussed tills; open: who pays?"},
		{"the summary is the decision", "Decided: refunds wait", []string{"refunds wait."}, "Decided: refunds wait."},
		{"a cut one", "Decided: refunds wait for…", []string{"a", "refunds wait for the network"}, "Decided: a; refunds wait for the network."},
		{"another summary", "The tills keep the sales", []string{"refunds wait"}, "The tills keep the sales. Decided: refunds wait."},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := concludedText(roundtable.Conclusion{Summary: c.summary, Decisions: c.decisions}); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
