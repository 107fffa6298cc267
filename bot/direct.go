package bot

import (
	"context"
	"strings"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// offerStart is the button of an offer. Its value is the message's timestamp, a bar and
// the topic; its channel is the envelope's.
const offerStart = "rt_offer"

// leastTopic is how many words something said in passing must have to be taken for a
// topic. "Thanks!" opens nothing.
const leastTopic = 3

// addressed answers what was said to the app in a direct message and is no word of
// ours. Exports arrive there, and people say thanks for them: so nothing is opened
// before they say that they want it.
func (b *Bot) addressed(h happening, text string) task {
	if len(strings.Fields(text)) < leastTopic {
		return b.answering(h.Channel, h.Thread, h.User, b.withKept(say.Help()))
	}
	topic := blocks.Clip(thread.OneLine(blocks.Readable(text)), topicLimit)
	said, label := say.Offer(topic)
	button := slack.NewButtonBlockElement(offerStart, h.Message+"|"+topic, plainLabel(label))
	here := thread.Place{Team: b.self.team, Channel: h.Channel, Thread: h.Thread}
	offer := blocks.Drawing{Text: b.workplace.draw.Private(here, said), Blocks: []slack.Block{
		slack.NewSectionBlock(plainLabel(blocks.Readable(said)), nil, nil), slack.NewActionBlock("", button),
	}}
	return func(ctx context.Context) {
		if _, err := b.api.PostEphemeralContext(ctx, h.Channel, h.User, plainly(offer)...); err != nil {
			b.log.Warn("answer not shown", "channel", h.Channel, "error", webapi.Scrub(err))
		}
	}
}

// takenUp opens the form of an offer, with its topic filled in and the message that it
// came from as context.
func (b *Bot) takenUp(ctx context.Context, c slack.InteractionCallback, value string) task {
	channel := firstOf(c.Container.ChannelID, c.Channel.ID)
	ts, topic, _ := strings.Cut(value, "|")
	sentence := b.showForm(ctx, c.TriggerID, form{Channel: channel, Thread: ts, Message: ts, topic: topic})
	return b.answering(channel, "", c.User.ID, sentence)
}
