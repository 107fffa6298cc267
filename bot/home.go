package bot

import (
	"context"
	"slices"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
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
		slack.NewActionBlock("", start, slack.NewButtonBlockElement(homeAnalyze, "analyze", plainLabel(words.Analyze))),
	}
	mine, err := b.threadsOf(ctx, user)
	if err != nil {
		b.log.Warn("discussions not listed", "error", scrub(err))
		return append(blocks, note(roundtable.SayNotRead()))
	}
	if len(mine) == 0 {
		return append(blocks, note(words.Nothing))
	}
	var waiting, open, ended []thread
	for _, t := range mine {
		switch {
		case t.ended:
			ended = append(ended, t)
		case t.waits:
			waiting = append(waiting, t)
		default:
			open = append(open, t)
		}
	}
	blocks = append(blocks, b.homeList(words.Waiting, waiting, homeListed)...)
	blocks = append(blocks, b.homeList(words.Open, open, homeListed)...)
	return append(blocks, b.homeList(words.Ended, ended, homeEnded)...)
}

// homeList is one heading of the Home tab with its threads.
func (b *Bot) homeList(title string, threads []thread, limit int) []slack.Block {
	if len(threads) == 0 {
		return nil
	}
	blocks := []slack.Block{slack.NewDividerBlock(), slack.NewHeaderBlock(plainLabel(title))}
	link := renderer{site: b.self.site}
	for _, t := range threads[:min(limit, len(threads))] {
		name := slack.RichTextSectionElement(slack.NewRichTextSectionTextElement(readable(t.title), &slack.RichTextSectionTextStyle{Bold: true}))
		if url := link.permalink(t.place, t.place.Thread); url != "" {
			name = slack.NewRichTextSectionLinkElement(url, readable(t.title), &slack.RichTextSectionTextStyle{Bold: true})
		}
		blocks = append(blocks, slack.NewRichTextBlock("", slack.NewRichTextSection(
			name, slack.NewRichTextSectionTextElement("\n", nil), slack.NewRichTextSectionChannelElement(t.place.Channel, nil),
			slack.NewRichTextSectionTextElement(" · "+readable(t.standing), nil),
		)))
	}
	return blocks
}

func note(text string) slack.Block {
	return slack.NewContextBlock("", slack.NewTextBlockObject(slack.PlainTextType, text, false, false))
}

// thread is a discussion or an analysis as the Home tab shows it.
type thread struct {
	title, standing string
	place           roundtable.Place
	heard           time.Time
	// waits is set when somebody is awaited, and that is the person who looks.
	waits, ended bool
}

// threadsOf finds the discussions and analyses that a person asked for, spoke in or
// is waited for in, most recently active first, in channels that they are in now
// (I12).
func (b *Bot) threadsOf(ctx context.Context, user string) ([]thread, error) {
	listed, err := b.opts.Inbox.ListOpen(ctx, homeSearch)
	if err != nil {
		return nil, err
	}
	in := make(map[string]bool)
	var mine []thread
	for _, l := range listed {
		t, ok := threadOf(l.State, user)
		if !ok || l.Ref.Team != b.self.team || t.place.Thread == "" {
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
			mine = append(mine, t)
		}
	}
	slices.SortStableFunc(mine, func(a, c thread) int { return c.heard.Compare(a.heard) })
	return mine, nil
}

// threadOf reads what is stored; ok is false when the person takes no part in it.
func threadOf(state []byte, user string) (t thread, ok bool) {
	if analysis.IsStored(state) {
		a, err := analysis.Decode(state)
		return thread{
			title: analysis.SayTitle(a), standing: analysis.SayStanding(a), place: a.Place, heard: a.Heard, ended: a.State == analysis.StateClosed,
		}, err == nil && takesPart(a.Opener, a.People, user)
	}
	d, err := roundtable.Decode(state)
	return thread{
		title: d.Topic, standing: roundtable.SayStanding(d), place: d.Place, heard: d.Heard, ended: d.State == roundtable.StateClosed,
		waits: d.Awaited != nil && d.Awaited.Person.ID == user,
	}, err == nil && takesPart(d.Opener, d.People, user)
}

func takesPart(opener roundtable.Person, people []roundtable.Person, user string) bool {
	return opener.ID == user || slices.ContainsFunc(people, func(p roundtable.Person) bool { return p.ID == user })
}
