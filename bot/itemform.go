package bot

import (
	"context"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
)

// The form behind the Home tab's button for an analysis: its callback id, and its
// field besides the channel.
const (
	itemFormID = "rt_analyze"
	fieldItem  = "item"
)

// showItemForm opens the form (views.open). The result is a sentence if it could not
// be shown.
func (b *Bot) showItemForm(ctx context.Context, trigger string) string {
	words := analysis.Form()
	item := slack.NewPlainTextInputBlockElement(plainLabel(words.ItemHint), fieldItem)
	item.MaxLength = topicLimit
	view := slack.ModalViewRequest{
		Type: slack.VTModal, CallbackID: itemFormID,
		Title: plainLabel(words.Title), Submit: plainLabel(words.Submit), Close: plainLabel(words.Cancel),
		Blocks: slack.Blocks{BlockSet: []slack.Block{
			slack.NewInputBlock(fieldItem, plainLabel(words.Item), plainLabel(words.Resumed), item),
			slack.NewInputBlock(fieldChannel, plainLabel(words.Channel), nil, b.channelSelect()),
		}},
	}
	if _, err := b.api.OpenViewContext(ctx, trigger, view); err != nil {
		b.log.Warn("form not opened", "error", webapi.Scrub(err))
		return roundtable.SayFormNotOpened()
	}
	return ""
}

// itemSubmitted starts the analysis that the form asks for, or takes it up again.
// Nothing closes the form but success.
func (b *Bot) itemSubmitted(ctx context.Context, c slack.InteractionCallback) reply {
	if c.View.State == nil {
		return refuse(map[string]string{fieldItem: roundtable.SayNotKept()})
	}
	field := func(name string) slack.BlockAction { return c.View.State.Values[name][name] }
	sentence, later, err := b.analyze(ctx, opening{
		channel: field(fieldChannel).SelectedConversation, user: c.User.ID, foreign: foreign(b.self, c.User.TeamID), request: "v:" + c.View.ID,
		at: time.Now().UTC(), topic: field(fieldItem).Value,
	})
	switch {
	case err != nil:
		b.log.Warn("form not kept", "error", webapi.Scrub(err))
		return refuse(map[string]string{fieldItem: roundtable.SayNotKept()})
	case later == nil: // nothing was opened
		return refuse(map[string]string{fieldItem: sentence})
	}
	return reply{later: later}
}
