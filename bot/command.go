package bot

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable/say"
)

// verb is what a command asks for.
type verb string

// The verbs.
const (
	verbForm     verb = "form"  // no text: the form
	verbTopic    verb = "topic" // anything that is no word of ours
	verbList     verb = "list"
	verbStatus   verb = "status"
	verbPersonas verb = "personas"
	verbHelp     verb = "help"
	verbExport   verb = "export"
	verbShow     verb = "show"
	verbForget   verb = "forget"
	verbKeep     verb = "keep"
	verbAnalyze  verb = "analyze"
)

// A request is a command that was understood.
type request struct {
	verb verb
	// arg is what is to be exported, shown, forgotten, kept or analysed, in the person's
	// words, or the topic.
	arg string
	// document is which of the item's documents is to be shown; empty asks for a list.
	// canvas is set when it is wanted as one.
	document string
	canvas   bool
	// sure is set when the person said again that an item is to be forgotten.
	sure bool
}

// parseCommand reads the text after /roundtable. A word of ours counts only
// where it stands alone, or with what belongs to it, so that topics may begin
// with it: "list the risks" is a topic.
func parseCommand(text string) request {
	text = strings.TrimSpace(text)
	words := strings.Fields(text)
	if len(words) == 0 {
		return request{verb: verbForm}
	}
	first, asks := strings.ToLower(words[0]), strings.HasSuffix(text, "?")
	switch {
	case len(words) == 1 && (first == "list" || first == "status" || first == "personas" || first == "help"):
		return request{verb: verb(first)}
	case first == "show":
		if r, ok := parseShow(words[1:]); ok {
			return r
		}
	case first == "analyze" || first == "analyse":
		return request{verb: verbAnalyze, arg: strings.Join(words[1:], " ")}
	case asks: // a topic, whatever it begins with
	case first == "export":
		return request{verb: verbExport, arg: strings.Join(words[1:], " ")}
	case first == "forget":
		what, sure := forGood(words[1:])
		return request{verb: verbForget, arg: strings.Join(what, " "), sure: sure}
	case first == "keep" && len(words) <= 2: // more words are a topic
		return request{verb: verbKeep, arg: strings.Join(words[1:], " ")}
	}
	return request{verb: verbTopic, arg: text}
}

// itemSlug is the form of an item's name, by which "show" is told from a topic. Which
// items there are, only the store knows.
var itemSlug = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// parseShow reads what follows "show": nothing, an item, or an item and a document.
func parseShow(words []string) (request, bool) {
	words, canvas := asCanvas(words)
	r := request{verb: verbShow}
	if len(words) == 0 {
		return r, true
	}
	if r.arg = strings.ToLower(words[0]); !itemSlug.MatchString(r.arg) || len(words) > 2 {
		return r, false
	}
	if len(words) == 2 {
		r.document, r.canvas = documentName(words[1]), canvas
	}
	return r, len(words) == 1 && !canvas || r.document != ""
}

// documentEnd is how the name of a document ends.
var documentEnd = regexp.MustCompile(`\.[A-Za-z][A-Za-z0-9]{0,7}$`)

// documentName is a word as the name of a document, or empty. Slack takes notes.md
// for an address in Moldova and marks it up as a link.
func documentName(word string) string {
	word = blocks.Unescape(blocks.EntityAddress.ReplaceAllString(blocks.EntityLink.ReplaceAllString(word, "$2"), "$1"))
	if !documentEnd.MatchString(word) {
		return ""
	}
	return word
}

// forGood takes the words off by which somebody confirms that something is to be
// forgotten. Alone they confirm nothing.
func forGood(words []string) (what []string, sure bool) {
	n := len(words) - 2
	if n > 0 && strings.EqualFold(strings.Join(words[n:], " "), "for good") {
		return words[:n], true
	}
	return words, false
}

// itemNamed finds the item that somebody's words name: by its name, or by the title
// that it has its name from.
func (b *Bot) itemNamed(slugs []string, words string) (slug string, ok bool) {
	for _, name := range []string{strings.ToLower(words), b.opts.Slug(words)} {
		if words != "" && slices.Contains(slugs, name) {
			return name, true
		}
	}
	return "", false
}

// An asker is who asks, and where; thread is empty outside threads. foreign is their
// workspace if Slack says that it is another one. request identifies what they ask for, so
// that the same one does nothing twice, and at is when they asked.
type asker struct {
	channel, thread, user, foreign, request string
	at                                      time.Time
}

// command answers a slash command with the payload of its acknowledgement, which
// only the person sees.
func (b *Bot) command(ctx context.Context, c slack.SlashCommand) reply {
	r := parseCommand(c.Text)
	switch r.verb {
	case verbForm:
		return reply{payload: b.ephemeral(c.ChannelID, b.showForm(ctx, c.TriggerID, form{Channel: c.ChannelID}))}
	case verbTopic:
		return reply{payload: b.ephemeral(c.ChannelID, b.commandTopic(ctx, c, r.arg))}
	case verbAnalyze:
		text, later := b.commandAnalyze(ctx, c, r.arg)
		return reply{payload: b.ephemeral(c.ChannelID, text), later: later}
	case verbList, verbStatus, verbPersonas, verbHelp, verbExport, verbShow, verbForget, verbKeep:
		text, later := b.perform(ctx, r, asker{
			channel: c.ChannelID, user: c.UserID, foreign: foreign(b.self, c.TeamID), request: "c:" + c.TriggerID, at: time.Now().UTC(),
		})
		return reply{payload: b.ephemeral(c.ChannelID, text), later: later}
	}
	return reply{}
}

func (b *Bot) commandTopic(ctx context.Context, c slack.SlashCommand, topic string) string {
	topic = strings.Join(strings.Fields(plainTopic(topic, b.people.Known)), " ")
	refusal, err := b.openDiscussion(ctx, opening{
		channel: c.ChannelID, user: c.UserID, foreign: foreign(b.self, c.TeamID), request: "c:" + c.TriggerID, at: time.Now().UTC(), topic: topic,
	})
	if err != nil {
		b.log.Warn("command not kept", "channel", c.ChannelID, "error", webapi.Scrub(err))
		return say.NotKept()
	}
	if refusal != "" {
		return refusal
	}
	return say.Opening(topic)
}

func (b *Bot) commandAnalyze(ctx context.Context, c slack.SlashCommand, item string) (string, task) {
	sentence, later, err := b.analyze(ctx, opening{
		channel: c.ChannelID, user: c.UserID, foreign: foreign(b.self, c.TeamID), request: "c:" + c.TriggerID, at: time.Now().UTC(),
		topic: plainTopic(item, b.people.Known),
	})
	if err != nil {
		b.log.Warn("command not kept", "channel", c.ChannelID, "error", webapi.Scrub(err))
		return say.NotKept(), nil
	}
	return sentence, later
}

// perform answers the words that open nothing.
func (b *Bot) perform(ctx context.Context, r request, who asker) (string, task) {
	switch r.verb {
	case verbHelp, verbForm, verbTopic, verbAnalyze:
		return b.withKept(say.Help()), nil
	case verbPersonas:
		return say.Personas(b.opts.Roster), nil
	case verbList, verbStatus:
		open, refusal := b.underway(ctx, who)
		switch {
		case refusal != "":
			return refusal, nil
		case r.verb == verbStatus:
			return b.status(ctx, open.count()), nil
		}
		return open.say(), nil
	case verbExport:
		return b.export(ctx, r.arg, who)
	case verbShow:
		return b.show(ctx, r, who)
	case verbForget:
		return b.forget(ctx, r, who), nil
	case verbKeep:
		return b.takeBack(ctx, r, who), nil
	}
	return "", nil
}

// mayRead refuses whoever is not in the channel now, and everybody in one that was
// shared with another organisation since: names of items and discussions are no keys
// to them (I12). What cannot be checked is refused.
func (b *Bot) mayRead(ctx context.Context, who asker) string { return b.mayLook(ctx, who, b.mayAct) }

// mayWish is mayRead for a wish that can wait until Slack says who somebody is. Until then
// they are told nothing of what is there.
func (b *Bot) mayWish(ctx context.Context, who asker) string { return b.mayLook(ctx, who, b.mayPress) }

// mayLook refuses whoever is not in the channel now, and by what may says of a person.
func (b *Bot) mayLook(ctx context.Context, who asker, may func(ctx context.Context, user, foreign string) string) string {
	if refusal := b.within(ctx, who.channel, who.user, say.NotMember()); refusal != "" {
		return refusal
	}
	if refusal := may(ctx, who.user, who.foreign); refusal != "" || b.opts.Policy.AllowShared {
		return refusal
	}
	room, err := b.rooms.Room(ctx, who.channel)
	switch {
	case err != nil:
		b.log.Warn("channel not checked", "channel", who.channel, "error", err)
		return say.CannotCheck()
	case room.Shared:
		return say.ChannelShared()
	}
	return ""
}
