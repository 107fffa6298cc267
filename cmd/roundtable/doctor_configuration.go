package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/bot"
)

// examineConfiguration reports values and files that cannot be used. Each is then
// as if it had not been given.
func examineConfiguration(s streams, problems []error) []finding {
	out, told := swapped(s)
	for _, p := range problems {
		for line := range strings.Lines(p.Error()) {
			if env, _, _ := strings.Cut(line, ":"); told[strings.TrimSuffix(env, "_FILE")] {
				continue
			}
			out = append(out, finding{Check: "setting", Level: failure, Found: strings.TrimSpace(line), Means: "serve does not start like this", Do: "correct it; roundtable serve --help lists all settings"})
		}
	}
	if len(out) == 0 {
		out = append(out, finding{Check: "settings", Found: "all can be read"})
	}
	for i := range out {
		out[i].Area = areaConfiguration
	}
	return out
}

// swapped tells tokens of the wrong kind apart. What they are shows by how they
// begin; nothing more of them is shown. told are the variables that it spoke of.
func swapped(s streams) (out []finding, told map[string]bool) {
	const means = "serve does not start like this"
	want := map[string]bot.TokenKind{"SLACK_BOT_TOKEN": bot.BotToken, "SLACK_APP_TOKEN": bot.AppLevelToken}
	have := map[string]bot.TokenKind{}
	for _, x := range settings(&config{}) {
		if g, ok, err := fromEnvironment(s, x); want[x.env] != "" && ok && err == nil {
			have[x.env] = bot.KindOf(g.value)
		}
	}
	if have["SLACK_BOT_TOKEN"] == bot.AppLevelToken && have["SLACK_APP_TOKEN"] == bot.BotToken {
		return []finding{{Check: "tokens", Level: failure, Found: "SLACK_BOT_TOKEN and SLACK_APP_TOKEN are swapped", Means: means, Do: "exchange them: SLACK_BOT_TOKEN begins with xoxb-, SLACK_APP_TOKEN with xapp-"}},
			map[string]bool{"SLACK_BOT_TOKEN": true, "SLACK_APP_TOKEN": true}
	}
	told = map[string]bool{}
	for env, kind := range have {
		if kind == want[env] || kind == bot.NoToken {
			continue
		}
		told[env] = true
		f := finding{Check: "token", Level: failure, Found: fmt.Sprintf("%s holds a token of the wrong kind: %s", env, kind), Means: means, Do: "take the bot token, xoxb-…, from the app's page OAuth & Permissions"}
		switch {
		case want[env] == bot.AppLevelToken:
			f.Do = "generate an app-level token, xapp-…, with connections:write on the app's page Basic Information"
		case kind == bot.RotatingToken:
			f.Do = "create the app anew from roundtable manifest, which leaves token rotation off; an app cannot switch it off again"
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b finding) int { return strings.Compare(a.Found, b.Found) })
	return out, told
}

// examineFiles reads the manifests as serve would.
func examineFiles(_ context.Context, c config) []finding {
	const check = "manifests"
	again := "; roundtable check reads it again"
	if c.Manifests != "" {
		again = " in " + c.Manifests + "; roundtable check " + c.Manifests + " reads it again"
	}
	set, err := loadManifests(c.Manifests)
	var out []finding
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			out = append(out, finding{Check: check, Level: failure, Found: strings.TrimSpace(line), Means: "serve does not start like this", Do: "correct the file" + again})
		}
		return out
	}
	for _, r := range set.Steps.Remarks {
		f := finding{Check: check, Level: advice, Found: r.String(), Means: "the step is used as well as it can be", Do: "correct the file" + again}
		if r.Fault {
			f.Level, f.Means = warning, "an analysis leaves this step out"
		}
		out = append(out, f)
	}
	where, steps := "built in", 0
	if c.Manifests != "" {
		where = "with those of " + c.Manifests
	}
	for _, p := range set.Steps.Catalogue.Phases {
		steps += len(p.Steps)
	}
	return append(out, finding{Check: check, Found: fmt.Sprintf("%s, %s, %s, %s",
		counted(len(set.Roster.Personas), "persona"), counted(len(set.Roster.Phases), "phase"), counted(steps, "step"), where)})
}
