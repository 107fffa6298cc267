package bot

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/say"
)

// The form behind /roundtable alone: its callback id, and its fields, each of
// them a block with one element of the same name.
const (
	formID        = "rt_start"
	fieldTopic    = "topic"
	fieldContext  = "context"
	fieldLead     = "lead"
	fieldPersonas = "personas"
	fieldTurns    = "turns"
	fieldInvite   = "invite"
	fieldChannel  = "channel"
)

// A form is what the form carries along unseen: where the discussion is to take
// place. A form in Slack does not know where it was opened.
type form struct {
	Channel string `json:"channel,omitempty"`
	Thread  string `json:"thread,omitempty"`
	// Message is the message to be discussed, whose thread becomes context.
	Message string `json:"message,omitempty"`

	topic string
}

// whereField is the field beside which a refusal of the channel is shown: its own, if the
// form asks for it.
func (f form) whereField() string {
	if f.Channel == "" {
		return fieldChannel
	}
	return fieldTopic
}

// showForm opens the form (views.open); the trigger lives for three seconds. The
// result is a sentence if it could not be shown.
func (b *Bot) showForm(ctx context.Context, trigger string, f form) string {
	view, err := b.formView(f)
	if err == nil {
		_, err = b.api.OpenViewContext(ctx, trigger, view)
	}
	if err != nil {
		b.log.Warn("form not opened", "error", webapi.Scrub(err))
		return say.FormNotOpened()
	}
	return ""
}

func plainLabel(text string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.PlainTextType, text, false, false)
}

func (b *Bot) formView(f form) (slack.ModalViewRequest, error) {
	words := say.Form(roundtable.MinTurns, b.opts.Policy.MaxTurns)
	carried, err := json.Marshal(f)
	if err != nil {
		return slack.ModalViewRequest{}, err
	}
	input := func(field, label string, e slack.BlockElement, optional bool) slack.Block {
		in := slack.NewInputBlock(field, plainLabel(label), nil, e)
		in.Optional = optional
		return in
	}
	topic := slack.NewPlainTextInputBlockElement(plainLabel(words.TopicHint), fieldTopic)
	topic.MaxLength, topic.InitialValue = topicLimit, f.topic
	about := slack.NewPlainTextInputBlockElement(plainLabel(words.ContextHint), fieldContext)
	about.Multiline, about.MaxLength = true, contextLimit
	turns := slack.NewPlainTextInputBlockElement(plainLabel(words.TurnsHint), fieldTurns)
	turns.InitialValue, turns.MaxLength = strconv.Itoa(b.opts.Policy.Settings.MaxTurns), 4

	personas := b.personaOptions()
	lead := slack.NewOptionsSelectBlockElement(slack.OptTypeStatic, nil, fieldLead, personas...)
	table := slack.NewOptionsMultiSelectBlockElement(slack.MultiOptTypeStatic, nil, fieldPersonas, personas...)
	table.InitialOptions = personas
	if first, _ := b.opts.Roster.Lead(roundtable.FreeStep); first != "" {
		if i := slices.IndexFunc(personas, func(o *slack.OptionBlockObject) bool { return o.Value == string(first) }); i >= 0 {
			lead.InitialOption = personas[i]
		}
	}
	blocks := []slack.Block{
		input(fieldTopic, words.Topic, topic, false),
		input(fieldContext, words.Context, about, true),
		input(fieldLead, words.Lead, lead, false),
		input(fieldPersonas, words.Personas, table, false),
		input(fieldTurns, words.Turns, turns, false),
		input(fieldInvite, words.Invite, slack.NewOptionsMultiSelectBlockElement(slack.MultiOptTypeUser, nil, fieldInvite), true),
	}
	if f.Channel == "" {
		blocks = append(blocks, input(fieldChannel, words.Channel, b.channelSelect(), false))
	}
	return slack.ModalViewRequest{
		Type: slack.VTModal, CallbackID: formID, PrivateMetadata: string(carried),
		Title: plainLabel(words.Title), Submit: plainLabel(words.Submit), Close: plainLabel(words.Cancel),
		Blocks: slack.Blocks{BlockSet: blocks},
	}, nil
}

// channelSelect offers channels, and direct messages of several, of this organisation
// unless others are allowed. Its filter cannot say that the person and the app have to be
// in them: Slack offers public channels that one has not joined, and a client may send any
// id, so that a submission is checked again. The select of people to invite has no filter at all.
func (b *Bot) channelSelect() *slack.SelectBlockElement {
	where := slack.NewOptionsSelectBlockElement(slack.OptTypeConversations, nil, fieldChannel)
	where.DefaultToCurrentConversation = true
	where.Filter = &slack.SelectBlockElementFilter{
		Include: []string{"public", "private", "mpim"}, ExcludeExternalSharedChannels: !b.opts.Policy.AllowShared, ExcludeBotUsers: true,
	}
	return where
}

// personaOptions offers the roster; Slack takes 100 options of 75 characters.
func (b *Bot) personaOptions() []*slack.OptionBlockObject {
	var options []*slack.OptionBlockObject
	for _, p := range b.opts.Roster.Personas[:min(len(b.opts.Roster.Personas), 100)] {
		options = append(options, slack.NewOptionBlockObject(string(p.Key), plainLabel(blocks.Clip(p.Identity(), blocks.MaxButtonText)), nil))
	}
	return options
}

// formErrors is the answer to a form that shows what is wrong beside its fields.
func formErrors(errs map[string]string) any { return slack.NewErrorsViewSubmissionResponse(errs) }

func refuse(errs map[string]string) reply { return reply{payload: formErrors(errs)} }

// submitted opens the discussion that a form asks for. Nothing closes the form
// but success.
func (b *Bot) submitted(ctx context.Context, c slack.InteractionCallback) reply {
	var f form
	if err := json.Unmarshal([]byte(c.View.PrivateMetadata), &f); err != nil || c.View.State == nil {
		b.log.Warn("form not read", "error", err)
		return refuse(map[string]string{fieldTopic: say.NotKept()})
	}
	field := func(name string) slack.BlockAction { return c.View.State.Values[name][name] }
	o, errs := b.readForm(field)
	if len(errs) > 0 {
		return refuse(errs)
	}
	o.channel = firstOf(f.Channel, field(fieldChannel).SelectedConversation)
	o.thread, o.user, o.foreign, o.request, o.at = f.Thread, c.User.ID, foreign(b.self, c.User.TeamID), "v:"+c.View.ID, time.Now().UTC()
	// What the form carries along is what a client sent: nothing of the channel is looked at
	// for somebody who may not open anything in it.
	if refusal := b.mayOpen(ctx, o); refusal != "" {
		return refuse(map[string]string{f.whereField(): refusal})
	}
	if o.invited, errs = b.invited(ctx, o, field(fieldInvite).SelectedUsers); len(errs) > 0 {
		return refuse(errs)
	}
	if f.Message != "" {
		_, taken, err := b.find(ctx, o.channel, f.Thread)
		if err != nil {
			b.log.Warn("form not kept", "channel", o.channel, "error", webapi.Scrub(err))
			return refuse(map[string]string{fieldTopic: say.NotKept()})
		}
		if taken {
			return refuse(map[string]string{fieldTopic: b.sayTaken(o)})
		}
		o.context = strings.TrimSpace(o.context + "\n\n" + b.threadText(ctx, o.channel, f.Thread, f.Message))
	}
	refusal, err := b.openDiscussion(ctx, o)
	if err != nil {
		b.log.Warn("form not kept", "channel", o.channel, "error", webapi.Scrub(err))
		refusal = say.NotKept()
	}
	if refusal != "" {
		return refuse(map[string]string{fieldTopic: refusal})
	}
	return reply{}
}

// readForm reads the fields; errs says what is wrong with each.
func (b *Bot) readForm(field func(string) slack.BlockAction) (o opening, errs map[string]string) {
	words := say.Form(roundtable.MinTurns, b.opts.Policy.MaxTurns)
	errs = map[string]string{}
	o.topic, o.context = field(fieldTopic).Value, field(fieldContext).Value
	if strings.TrimSpace(o.topic) == "" {
		errs[fieldTopic] = say.TopicMissing()
	}
	o.lead = persona.Key(field(fieldLead).SelectedOption.Value)
	for _, option := range field(fieldPersonas).SelectedOptions {
		o.personas = append(o.personas, persona.Key(option.Value))
	}
	if len(cast(b.opts.Roster, o.personas)) < 2 || len(o.personas) == 0 {
		errs[fieldPersonas] = words.TwoPersonas
	} else if !slices.Contains(o.personas, o.lead) {
		errs[fieldLead] = words.LeadOutside
	}
	n, err := strconv.Atoi(strings.TrimSpace(field(fieldTurns).Value))
	if err != nil || n < roundtable.MinTurns || n > b.opts.Policy.MaxTurns {
		errs[fieldTurns] = words.TurnsRange
	}
	o.maxTurns = n
	return o, errs
}

// maxInvited bounds how many people one form may call.
const maxInvited = 10

// invited are the people to be called of those somebody chose in the form: members of the
// channel, since a call mentions them there. errs says who is none.
func (b *Bot) invited(ctx context.Context, o opening, chosen []string) (users []string, errs map[string]string) {
	for _, u := range chosen {
		if len(users) < maxInvited && blocks.UserID.MatchString(u) && u != o.user && u != b.self.user && !slices.Contains(users, u) {
			users = append(users, u)
		}
	}
	missing, err := b.rooms.Missing(ctx, o.channel, users)
	if err != nil {
		b.log.Warn("membership not checked", "channel", o.channel, "error", err)
		return nil, map[string]string{fieldInvite: say.CannotCheck()}
	}
	var names []string
	for _, u := range missing {
		names = append(names, b.people.Person(ctx, u).Name)
	}
	if len(names) > 0 {
		return nil, map[string]string{fieldInvite: say.InviteMembers(names)}
	}
	return users, nil
}

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
		return say.FormNotOpened()
	}
	return ""
}

// itemSubmitted starts the analysis that the form asks for, or takes it up again.
// Nothing closes the form but success.
func (b *Bot) itemSubmitted(ctx context.Context, c slack.InteractionCallback) reply {
	if c.View.State == nil {
		return refuse(map[string]string{fieldItem: say.NotKept()})
	}
	field := func(name string) slack.BlockAction { return c.View.State.Values[name][name] }
	sentence, later, err := b.analyze(ctx, opening{
		channel: field(fieldChannel).SelectedConversation, user: c.User.ID, foreign: foreign(b.self, c.User.TeamID), request: "v:" + c.View.ID,
		at: time.Now().UTC(), topic: field(fieldItem).Value,
	})
	switch {
	case err != nil:
		b.log.Warn("form not kept", "error", webapi.Scrub(err))
		return refuse(map[string]string{fieldItem: say.NotKept()})
	case later == nil: // nothing was opened
		return refuse(map[string]string{fieldItem: sentence})
	}
	return reply{later: later}
}
