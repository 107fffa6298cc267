package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/roundtable-chat/app/bot"
)

// examineOccupant says whether Redis belongs to the workspace that the bot token is
// of. It only reads; to occupy a store is for those who work on it. What it means
// that nobody answers is said by examineWriting and examineSlack.
func examineOccupant(ctx context.Context, c config) []finding {
	const check = "workspace"
	team := teamOf(ctx, c)
	ctx, cancel := context.WithTimeoutCause(ctx, probeLimit, fmt.Errorf("no answer within %s", probeLimit))
	defer cancel()
	store, err := openStore(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil
	}
	defer func() { _ = store.Close() }() // it has only been read
	whose, err := store.Occupant(ctx)
	switch {
	case err != nil:
		return []finding{redisTrouble(check, err)}
	case whose.Team == "":
		return []finding{{Check: check, Found: "belongs to no Slack workspace yet; it becomes that of the first replica that starts"}}
	case team == "":
		return []finding{{Check: check, Found: fmt.Sprintf("belongs to the Slack workspace %s; which one the tokens are of is not known", called(whose.Team))}}
	case whose.Team != team:
		f := strangers(whose, team)
		f.Check = check
		return []finding{f}
	}
	return []finding{{Check: check, Found: fmt.Sprintf("belongs to the Slack workspace %s, which the tokens are of", called(team))}}
}

// teamOf is the workspace that the bot token is of, empty if Slack does not say.
func teamOf(ctx context.Context, c config) string {
	if c.BotToken == "" {
		return ""
	}
	checkup := bot.NewCheckup(bot.CheckupOptions{APIURL: c.SlackAPIURL, BotToken: c.BotToken, AppToken: c.AppToken})
	defer checkup.Close()
	ctx, cancel := bounded(ctx)
	defer cancel()
	who, err := checkup.Identity(ctx)
	if err != nil {
		return ""
	}
	return who.TeamID
}
