package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/bot/checkup"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/manifests"
)

// refusesToStart is what serve does with most of what is wrong.
const refusesToStart = "serve does not start with this configuration"

// settingChecks are about values and files that cannot be used. Each is then as if it had
// not been given.
func settingChecks() []row {
	const wrong = "%s holds a token of the wrong kind: %s"
	kind := func(t token) []any { return []any{t.variable, t.kind} }
	return []row{
		check[[]token]{name: "tokens", learn: learnTokens, answers: []answer[[]token]{
			{when: swapped, level: Failure, found: botVariable + " and " + appVariable + " are swapped", means: refusesToStart,
				do: "swap them back: " + botVariable + " begins with xoxb-, " + appVariable + " with xapp-"},
		}},
		check[token]{name: "token", answers: []answer[token]{
			{when: func(t token) bool { return t.variable == appVariable }, level: Failure, found: wrong, args: kind, means: refusesToStart,
				do: "generate an app-level token, xapp-…, with connections:write on the app's page Basic Information"},
			{when: func(t token) bool { return t.kind == checkup.RotatingToken }, level: Failure, found: wrong, args: kind, means: refusesToStart,
				do: "create the app anew from roundtable manifest, which leaves token rotation off; an app cannot switch it off again"},
			{level: Failure, found: wrong, args: kind, means: refusesToStart, do: "copy the bot token, xoxb-…, from the app's page OAuth & Permissions"},
		}, learn: func(_ context.Context, x *visit) ([]token, error) {
			if swapped(wrongTokens(x)) {
				return nil, nil
			}
			return wrongTokens(x), nil
		}},
		check[[]token]{name: "setting", learn: learnSettings, trouble: []answer[error]{{means: refusesToStart, do: "correct it; roundtable serve --help lists all settings"}}},
		check[[]token]{name: "settings", answers: []answer[[]token]{{when: func(wrong []token) bool { return len(wrong) == 0 }, found: "all are valid"}},
			learn: func(ctx context.Context, x *visit) ([][]token, error) {
				if len(x.Problems) > 0 {
					return nil, nil
				}
				return learnTokens(ctx, x)
			}},
	}
}

const (
	botVariable = "SLACK_BOT_TOKEN"
	appVariable = "SLACK_APP_TOKEN"
)

// token is the kind of the token in a variable. It shows by how the token begins; nothing
// more of a token is shown (I11).
type token struct {
	variable string
	kind     checkup.TokenKind
}

// wrongTokens are the tokens of another kind than their variable is for.
func wrongTokens(x *visit) (wrong []token) {
	for _, right := range []token{{appVariable, checkup.AppLevelToken}, {botVariable, checkup.BotToken}} {
		value, ok := config.Lookup(x.Environ, right.variable)
		if kind := checkup.KindOf(value); ok && kind != right.kind && kind != checkup.NoToken {
			wrong = append(wrong, token{right.variable, kind})
		}
	}
	return wrong
}

func swapped(wrong []token) bool {
	return slices.Equal(wrong, []token{{appVariable, checkup.BotToken}, {botVariable, checkup.AppLevelToken}})
}

func learnTokens(_ context.Context, x *visit) ([][]token, error) {
	return [][]token{wrongTokens(x)}, nil
}

// learnSettings returns what could not be read, but for tokens of the wrong kind, which
// have checks of their own.
func learnSettings(_ context.Context, x *visit) ([][]token, error) {
	told := func(p error) bool {
		source, _, _ := strings.Cut(p.Error(), ":")
		return slices.ContainsFunc(wrongTokens(x), func(t token) bool { return t.variable == strings.TrimSuffix(source, "_FILE") })
	}
	return nil, errors.Join(slices.DeleteFunc(slices.Clone(x.Problems), told)...)
}

// fileChecks read the manifests, and open the directory of documents, as serve would.
func fileChecks(c config.Config) []row {
	const name = "manifests"
	correct, origin := "correct the file, then run roundtable check", "built in"
	if c.Manifests != "" {
		correct = fmt.Sprintf("correct the file in %s, then run roundtable check %[1]s", c.Manifests)
		origin = "including those in " + c.Manifests
	}
	text := func(r manifests.StepRemark) []any { return []any{r.String()} }
	rows := []row{
		check[manifests.StepRemark]{name: name, answers: []answer[manifests.StepRemark]{
			{when: func(r manifests.StepRemark) bool { return r.Fault }, level: Warning, found: "%s", args: text, means: "analyses leave this step out", do: correct},
			{level: Advice, found: "%s", args: text, means: "analyses use the step as far as they can", do: correct},
		}, learn: func(_ context.Context, x *visit) ([]manifests.StepRemark, error) {
			set, err := x.manifests()
			return set.Steps.Remarks, err
		}},
		check[manifests.Set]{name: name, answers: []answer[manifests.Set]{{found: "%s, %s, %s, %s", args: func(s manifests.Set) []any {
			steps := 0
			for _, p := range s.Steps.Catalogue.Phases {
				steps += len(p.Steps)
			}
			return []any{counted(len(s.Roster.Personas), "persona"), counted(len(s.Roster.Phases), "phase"), counted(steps, "step"), origin}
		}}}, trouble: []answer[error]{{means: refusesToStart, do: correct}}, learn: func(_ context.Context, x *visit) ([]manifests.Set, error) {
			set, err := x.manifests()
			return []manifests.Set{set}, err
		}},
	}
	if c.Artifacts == "" {
		return rows
	}
	return append(rows, check[string]{name: "documents",
		learn: func(ctx context.Context, x *visit) ([]string, error) {
			return []string{c.Artifacts}, x.Documents(ctx, c)
		},
		trouble: []answer[error]{{means: refusesToStart + ", because it could not write documents",
			do: "create the directory on a local disk with free space, and let the user that runs serve write to it; or leave --artifacts out to keep the documents in Redis"}},
		answers: []answer[string]{{found: "kept in %s, which can be written to and locked", args: func(dir string) []any { return []any{dir} }}}})
}
