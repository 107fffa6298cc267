package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
)

// examineConfiguration reports values and files that cannot be used. Each is then
// as if it had not been given.
func examineConfiguration(x Subject) []Finding {
	out, told := swapped(x.Environ)
	for _, p := range x.Problems {
		for line := range strings.Lines(p.Error()) {
			if env, _, _ := strings.Cut(line, ":"); told[strings.TrimSuffix(env, "_FILE")] {
				continue
			}
			out = append(out, Finding{Check: "setting", Level: Failure, Found: strings.TrimSpace(line), Means: "serve does not start like this", Do: "correct it; roundtable serve --help lists all settings"})
		}
	}
	if len(out) == 0 {
		out = append(out, Finding{Check: "settings", Found: "all can be read"})
	}
	for i := range out {
		out[i].Area = areaConfiguration
	}
	return out
}

// swapped tells tokens of the wrong kind apart. What they are shows by how they
// begin; nothing more of them is shown. told are the variables that it spoke of.
func swapped(environ func(string) (string, bool)) (out []Finding, told map[string]bool) {
	const means = "serve does not start like this"
	want := map[string]bot.TokenKind{"SLACK_BOT_TOKEN": bot.BotToken, "SLACK_APP_TOKEN": bot.AppLevelToken}
	have := map[string]bot.TokenKind{}
	for env := range want {
		if token, ok := config.Lookup(environ, env); ok {
			have[env] = bot.KindOf(token)
		}
	}
	if have["SLACK_BOT_TOKEN"] == bot.AppLevelToken && have["SLACK_APP_TOKEN"] == bot.BotToken {
		return []Finding{{Check: "tokens", Level: Failure, Found: "SLACK_BOT_TOKEN and SLACK_APP_TOKEN are swapped", Means: means, Do: "exchange them: SLACK_BOT_TOKEN begins with xoxb-, SLACK_APP_TOKEN with xapp-"}},
			map[string]bool{"SLACK_BOT_TOKEN": true, "SLACK_APP_TOKEN": true}
	}
	told = map[string]bool{}
	for env, kind := range have {
		if kind == want[env] || kind == bot.NoToken {
			continue
		}
		told[env] = true
		f := Finding{Check: "token", Level: Failure, Found: fmt.Sprintf("%s holds a token of the wrong kind: %s", env, kind), Means: means, Do: "take the bot token, xoxb-…, from the app's page OAuth & Permissions"}
		switch {
		case want[env] == bot.AppLevelToken:
			f.Do = "generate an app-level token, xapp-…, with connections:write on the app's page Basic Information"
		case kind == bot.RotatingToken:
			f.Do = "create the app anew from roundtable manifest, which leaves token rotation off; an app cannot switch it off again"
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Finding) int { return strings.Compare(a.Found, b.Found) })
	return out, told
}

// examineFiles reads the manifests as serve would.
func examineFiles(_ context.Context, x Subject) []Finding {
	const check = "manifests"
	again := "; roundtable check reads it again"
	if x.Config.Manifests != "" {
		again = " in " + x.Config.Manifests + "; roundtable check " + x.Config.Manifests + " reads it again"
	}
	set, err := x.Manifests(x.Config.Manifests)
	var out []Finding
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			out = append(out, Finding{Check: check, Level: Failure, Found: strings.TrimSpace(line), Means: "serve does not start like this", Do: "correct the file" + again})
		}
		return out
	}
	for _, r := range set.Steps.Remarks {
		f := Finding{Check: check, Level: Advice, Found: r.String(), Means: "the step is used as well as it can be", Do: "correct the file" + again}
		if r.Fault {
			f.Level, f.Means = Warning, "an analysis leaves this step out"
		}
		out = append(out, f)
	}
	where, steps := "built in", 0
	if x.Config.Manifests != "" {
		where = "with those of " + x.Config.Manifests
	}
	for _, p := range set.Steps.Catalogue.Phases {
		steps += len(p.Steps)
	}
	return append(out, Finding{Check: check, Found: fmt.Sprintf("%s, %s, %s, %s",
		counted(len(set.Roster.Personas), "persona"), counted(len(set.Roster.Phases), "phase"), counted(steps, "step"), where)})
}

// examineArtifacts opens the directory of documents as serve would, if there is one.
// It makes the folder of records there, if that is missing.
func examineArtifacts(ctx context.Context, x Subject) []Finding {
	const check = "documents"
	if x.Config.Artifacts == "" {
		return nil
	}
	if err := x.Documents(ctx, x.Config); err != nil {
		return []Finding{{
			Check: check, Level: Failure, Found: err.Error(), Means: "serve does not start like this, because documents could not be written",
			Do: "make the directory, on a disk of this host that has room, and let the user that serve runs as write in it; or leave --artifacts out, and Redis keeps the documents",
		}}
	}
	return []Finding{{Check: check, Found: "kept in " + x.Config.Artifacts + ", which can be written to and locked"}}
}
