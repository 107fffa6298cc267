package bot

import (
	"context"
	"slices"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// The buttons of the Home tab.
const (
	homeStart   = "rt_home_start"
	homeAnalyze = "rt_home_analyze"
)

// Bounds of the Home tab: how many threads are looked at, and how many are
// shown under one heading (a view holds 100 blocks).
const (
	homeSearch = 1000
	homeListed = 20
	homeEnded  = 5
)

// home shows a person the discussions and analyses they take part in (views.publish). Nobody
// waits for it, so it is done after the acknowledgement.
func (b *Bot) home(e *slackevents.AppHomeOpenedEvent) task {
	if e.Tab != "home" || e.User == "" {
		return nil
	}
	return func(ctx context.Context) { b.publishHome(ctx, e.User, "") }
}

// startFromHome opens the form of a button for a person who has no channel in view.
// Where that fails, the tab itself says so.
func (b *Bot) startFromHome(ctx context.Context, c slack.InteractionCallback, button string) {
	sentence := ""
	switch button {
	case homeStart:
		sentence = b.showForm(ctx, c.TriggerID, form{})
	case homeAnalyze:
		sentence = b.showItemForm(ctx, c.TriggerID)
	}
	if sentence != "" {
		b.publishHome(ctx, c.User.ID, sentence)
	}
}

func (b *Bot) publishHome(ctx context.Context, user, sentence string) {
	blocks := b.homeBlocks(ctx, user)
	if sentence != "" {
		blocks = append(blocks, note(sentence))
	}
	view := slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: blocks}}
	if _, err := b.api.PublishViewContext(ctx, slack.PublishViewContextRequest{UserID: user, View: view}); err != nil {
		b.log.Warn("home not shown", "error", webapi.Scrub(err))
	}
}

func (b *Bot) homeBlocks(ctx context.Context, user string) []slack.Block {
	words := say.Home()
	start := slack.NewButtonBlockElement(homeStart, "start", plainLabel(words.Start))
	start.Style = slack.StylePrimary
	blocks := []slack.Block{
		slack.NewHeaderBlock(plainLabel(words.Title)),
		slack.NewSectionBlock(slack.NewTextBlockObject(slack.PlainTextType, words.About, false, false), nil, nil),
		slack.NewActionBlock("", start, slack.NewButtonBlockElement(homeAnalyze, "analyze", plainLabel(words.Analyze))),
	}
	mine, err := b.threadsOf(ctx, user)
	if err != nil {
		b.log.Warn("discussions not listed", "error", webapi.Scrub(err))
		return append(blocks, note(say.NotRead()))
	}
	if len(mine) == 0 {
		return append(blocks, note(words.Nothing))
	}
	var waiting, open, ended []engine.View
	for _, v := range mine {
		switch {
		case v.Closed:
			ended = append(ended, v)
		case v.Awaited == user:
			waiting = append(waiting, v)
		default:
			open = append(open, v)
		}
	}
	blocks = append(blocks, b.homeList(words.Waiting, waiting, homeListed)...)
	blocks = append(blocks, b.homeList(words.Open, open, homeListed)...)
	return append(blocks, b.homeList(words.Ended, ended, homeEnded)...)
}

// homeList is one heading of the Home tab with its threads.
func (b *Bot) homeList(title string, threads []engine.View, limit int) []slack.Block {
	if len(threads) == 0 {
		return nil
	}
	drawn := []slack.Block{slack.NewDividerBlock(), slack.NewHeaderBlock(plainLabel(title))}
	for _, v := range threads[:min(limit, len(threads))] {
		name := blocks.Styled(blocks.Readable(v.Name), slack.RichTextSectionTextStyle{Bold: true})
		if url := blocks.Permalink(b.self.site, v.Place, v.Place.Thread); url != "" && len(name) > 0 {
			name = blocks.Unmasked([]slack.RichTextSectionElement{slack.NewRichTextSectionLinkElement(url, blocks.Readable(v.Name), &slack.RichTextSectionTextStyle{Bold: true})})
		}
		drawn = append(drawn, slack.NewRichTextBlock("", slack.NewRichTextSection(append(name,
			slack.NewRichTextSectionTextElement("\n", nil), slack.NewRichTextSectionChannelElement(v.Place.Channel, nil),
			slack.NewRichTextSectionTextElement(" · "+blocks.Readable(v.Standing), nil),
		)...)))
	}
	return drawn
}

func note(text string) slack.Block {
	return slack.NewContextBlock("", slack.NewTextBlockObject(slack.PlainTextType, text, false, false))
}

// threadsOf finds the discussions and analyses that a person asked for, spoke in or
// is waited for in, most recently active first, in channels that they are in now
// (I12).
func (b *Bot) threadsOf(ctx context.Context, user string) ([]engine.View, error) {
	views, err := b.opts.Reader.AllViews(ctx, homeSearch)
	if err != nil {
		return nil, err
	}
	in := make(map[string]bool)
	var mine []engine.View
	for _, v := range views {
		if !takesPart(v, user) || v.Ref.Team != b.self.team || v.Place.Thread == "" {
			continue
		}
		member, asked := in[v.Ref.Channel]
		if !asked {
			member, err = b.rooms.Has(ctx, v.Ref.Channel, user)
			if err != nil {
				b.log.Warn("membership not checked", "channel", v.Ref.Channel, "error", err)
			}
			in[v.Ref.Channel] = member
		}
		if member {
			mine = append(mine, v)
		}
	}
	slices.SortStableFunc(mine, func(a, c engine.View) int { return c.Heard.Compare(a.Heard) })
	return mine, nil
}

// takesPart reports whether a person takes part in a discussion or an analysis. In what
// cannot be read nobody does: it tells its own holder.
func takesPart(v engine.View, user string) bool {
	return v.Kind != engine.KindForgetting &&
		(v.Opener.ID == user || slices.ContainsFunc(v.People, func(p thread.Person) bool { return p.ID == user }))
}
