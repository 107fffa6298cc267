package bot

import (
	"context"
	"slices"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
)

// homeStart is the button of the Home tab.
const homeStart = "rt_home_start"

// Bounds of the Home tab: how many discussions are looked at, and how many are
// shown under one heading (a view holds 100 blocks).
const (
	homeSearch = 1000
	homeListed = 20
	homeEnded  = 5
)

// home shows a person the discussions they take part in (views.publish). Nobody
// waits for it, so it is done after the acknowledgement.
func (b *Bot) home(e *slackevents.AppHomeOpenedEvent) task {
	if e.Tab != "home" || e.User == "" {
		return nil
	}
	return func(ctx context.Context) { b.publishHome(ctx, e.User, "") }
}

// startFromHome opens the form for a person who has no channel in view. Where that
// fails, the tab itself says so.
func (b *Bot) startFromHome(ctx context.Context, c slack.InteractionCallback) {
	if sentence := b.showForm(ctx, c.TriggerID, form{}); sentence != "" {
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
		b.log.Warn("home not shown", "error", scrub(err))
	}
}

func (b *Bot) homeBlocks(ctx context.Context, user string) []slack.Block {
	words := roundtable.Home()
	start := slack.NewButtonBlockElement(homeStart, "start", plainLabel(words.Start))
	start.Style = slack.StylePrimary
	blocks := []slack.Block{
		slack.NewHeaderBlock(plainLabel(words.Title)),
		slack.NewSectionBlock(slack.NewTextBlockObject(slack.PlainTextType, words.About, false, false), nil, nil),
		slack.NewActionBlock("", start),
	}
	mine, err := b.discussionsOf(ctx, user)
	if err != nil {
		b.log.Warn("discussions not listed", "error", scrub(err))
		return append(blocks, note(roundtable.SayNotRead()))
	}
	if len(mine) == 0 {
		return append(blocks, note(words.Nothing))
	}
	var waiting, open, ended []roundtable.Discussion
	for _, d := range mine {
		switch {
		case d.State == roundtable.StateClosed:
			ended = append(ended, d)
		case d.Awaited != nil && d.Awaited.Person.ID == user:
			waiting = append(waiting, d)
		default:
			open = append(open, d)
		}
	}
	blocks = append(blocks, b.homeList(words.Waiting, waiting, homeListed)...)
	blocks = append(blocks, b.homeList(words.Open, open, homeListed)...)
	return append(blocks, b.homeList(words.Ended, ended, homeEnded)...)
}

// homeList is one heading of the Home tab with its discussions.
func (b *Bot) homeList(title string, discussions []roundtable.Discussion, limit int) []slack.Block {
	if len(discussions) == 0 {
		return nil
	}
	blocks := []slack.Block{slack.NewDividerBlock(), slack.NewHeaderBlock(plainLabel(title))}
	link := renderer{site: b.self.site}
	for _, d := range discussions[:min(limit, len(discussions))] {
		topic := slack.RichTextSectionElement(slack.NewRichTextSectionTextElement(readable(d.Topic), &slack.RichTextSectionTextStyle{Bold: true}))
		if url := link.permalink(d.Place, d.Place.Thread); url != "" {
			topic = slack.NewRichTextSectionLinkElement(url, readable(d.Topic), &slack.RichTextSectionTextStyle{Bold: true})
		}
		blocks = append(blocks, slack.NewRichTextBlock("", slack.NewRichTextSection(
			topic, slack.NewRichTextSectionTextElement("\n", nil), slack.NewRichTextSectionChannelElement(d.Place.Channel, nil),
			slack.NewRichTextSectionTextElement(" · "+readable(roundtable.SayStanding(d)), nil),
		)))
	}
	return blocks
}

func note(text string) slack.Block {
	return slack.NewContextBlock("", slack.NewTextBlockObject(slack.PlainTextType, text, false, false))
}

// discussionsOf finds the discussions that a person asked for, spoke in or is waited
// for in, most recently active first, in channels that they are in now (I12).
func (b *Bot) discussionsOf(ctx context.Context, user string) ([]roundtable.Discussion, error) {
	listed, err := b.opts.Inbox.ListOpen(ctx, homeSearch)
	if err != nil {
		return nil, err
	}
	in := make(map[string]bool)
	var mine []roundtable.Discussion
	for _, l := range listed {
		if analysis.IsStored(l.State) {
			continue // it has no place here yet: its thread stands in /roundtable list
		}
		d, err := roundtable.Decode(l.State)
		if err != nil || l.Ref.Team != b.self.team || !takesPart(d, user) || d.Place.Thread == "" {
			continue // one that cannot be read tells its own holder
		}
		member, asked := in[l.Ref.Channel]
		if !asked {
			member, err = b.rooms.has(ctx, l.Ref.Channel, user)
			if err != nil {
				b.log.Warn("membership not checked", "channel", l.Ref.Channel, "error", err)
			}
			in[l.Ref.Channel] = member
		}
		if member {
			mine = append(mine, d)
		}
	}
	slices.SortStableFunc(mine, func(a, c roundtable.Discussion) int { return c.Heard.Compare(a.Heard) })
	return mine, nil
}

func takesPart(d roundtable.Discussion, user string) bool {
	return d.Opener.ID == user || slices.ContainsFunc(d.People, func(p roundtable.Person) bool { return p.ID == user })
}
