package bot

import (
	"strings"
	"sync"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// A happening is one event of Slack's in domain terms, before it is known which
// discussion it concerns.
type happening struct {
	// Skip says why it falls away; empty if it does not.
	Skip skipReason
	// Channel, and Thread with the timestamp of the thread's first message;
	// Thread is empty for a message outside threads, and for a reaction, whose
	// message is Message.
	Channel string
	Thread  string
	Message string
	// User acted; Foreign is the workspace of the user if Slack says that it is
	// another one.
	User    string
	Foreign string
	// Input is what happened, with the person still nameless.
	Input roundtable.Input
	// Also are further identities of what happened, each in a space of its own, so that
	// nothing that a client chose is another person's, or an input's (I2).
	Also []string
	// Mention is set for a mention of the app, which may open a discussion; Direct
	// for what is said to it in a direct message. Text is then what was said.
	Mention bool
	Direct  bool
	Text    string
	// OurRoot says that the thread's first message is ours, so that there must
	// be a discussion.
	OurRoot bool
}

// skipReason names why an event falls away, for metrics: a closed set.
type skipReason string

// The reasons for which events fall away.
const (
	skipOwn         skipReason = "own"          // our own post comes back
	skipBot         skipReason = "bot"          // another app, or Slack's own users
	skipSubtype     skipReason = "subtype"      // joins, topics and other bookkeeping
	skipUnchanged   skipReason = "unchanged"    // an edit that leaves the words: an unfurl
	skipOutside     skipReason = "outside"      // not in a thread
	skipNoMark      skipReason = "no_mark"      // a reaction that marks nothing
	skipKind        skipReason = "kind"         // an event we have no use for
	skipElsewhere   skipReason = "elsewhere"    // another workspace's
	skipUnknown     skipReason = "no_thread"    // in a thread without discussion
	skipClosed      skipReason = "closed"       // the discussion has ended
	skipForeigner   skipReason = "foreigner"    // a person whom the policy keeps out
	skipMentionOnly skipReason = "mention_only" // the message itself is delivered, too
	skipWish        skipReason = "wish"         // it asks for a document, and is said to nobody else
)

func skip(why skipReason) happening { return happening{Skip: why} }

// decodeEvent reads an event. It is pure.
func decodeEvent(e slackevents.EventsAPIEvent, me self) happening {
	if e.TeamID != "" && e.TeamID != me.team {
		return skip(skipElsewhere)
	}
	var h happening
	switch inner := e.InnerEvent.Data.(type) {
	case *messageEvent:
		h = decodeMessage(inner, me)
	case *slackevents.AppMentionEvent:
		h = decodeMention(inner, me)
	case *slackevents.ReactionAddedEvent:
		h = decodeReaction(reaction{inner.User, inner.Reaction, inner.Item, inner.EventTimestamp, false}, me)
	case *slackevents.ReactionRemovedEvent:
		h = decodeReaction(reaction{inner.User, inner.Reaction, inner.Item, inner.EventTimestamp, true}, me)
	default:
		return skip(skipKind)
	}
	if outer, ok := e.Data.(*slackevents.EventsAPICallbackEvent); ok && outer.EventID != "" && h.Skip == "" {
		h.Also = append(h.Also, eventIdentity(outer.EventID))
	}
	return h
}

// eventIdentity is the identity of one delivery's event, clientIdentity that of a message as
// its sender's client names it: Slack sends the same gesture with two timestamps at times.
// A client may claim any name, for its own person's messages alone.
func eventIdentity(event string) string { return "v:" + event }

func clientIdentity(user, client string) string { return "c:" + user + ":" + client }

// decodeMessage knows the subtypes that carry words of people; everything else
// falls away, also what Slack will invent later.
func decodeMessage(e *messageEvent, me self) happening {
	switch e.SubType {
	case "", slack.MsgSubTypeFileShare, slack.MsgSubTypeMeMessage, slack.MsgSubTypeThreadBroadcast:
		return decodeSaid(e, me)
	case slack.MsgSubTypeMessageChanged:
		return decodeEdited(e, me)
	case slack.MsgSubTypeMessageDeleted:
		return decodeDeleted(e)
	case slack.MsgSubTypeBotMessage:
		return skip(author(e.BotID, e.User, me))
	}
	return skip(skipSubtype)
}

// author says why a message is nobody's turn, or "" if a person wrote it. Own
// posts under a persona's name come back with our bot id and no user.
func author(bot, user string, me self) skipReason {
	switch {
	case bot == me.bot && bot != "", user == me.user && user != "":
		return skipOwn
	case bot != "", user == "", user == "USLACKBOT", user == "USLACK":
		return skipBot
	}
	return ""
}

func decodeSaid(e *messageEvent, me self) happening {
	if why := author(e.BotID, e.User, me); why != "" {
		return skip(why)
	}
	h := happening{
		Channel: e.Channel, Thread: e.Thread, Message: e.TS, User: e.User, Foreign: foreign(me, e.UserTeam, e.SourceTeam),
		Text: e.Text,
		Input: roundtable.Input{
			ID: "m:" + e.TS, At: moment(e.TS),
			Event: roundtable.Said{TS: e.TS, By: thread.Person{ID: e.User}, Text: e.Text, BotUser: me.user, Files: files(e.Files)},
		},
	}
	if e.ClientMsgID != "" {
		h.Also = append(h.Also, clientIdentity(e.User, e.ClientMsgID))
	}
	h.OurRoot = e.Parent != "" && e.Parent == me.user
	if e.Root != nil && e.Root.BotID == me.bot && me.bot != "" {
		h.OurRoot = true
	}
	if h.Thread == "" || h.Thread == e.TS {
		h.Thread = ""
		if e.ChannelType != slackevents.ChannelTypeIM {
			return skip(skipOutside)
		}
		// In a direct message everything is said to us, and no app_mention is
		// sent.
		h.Mention, h.Direct = true, true
	}
	return h
}

// files names what was attached; it is noted and never read.
func files(attached []file) []string {
	var names []string
	for _, f := range attached {
		if name := firstOf(f.Title, f.Name); name != "" {
			names = append(names, blocks.Clip(thread.Unmasked(strings.Join(strings.Fields(blocks.Readable(name)), " ")), 120))
		}
	}
	return names
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// decodeEdited takes an edit only if a person changed the words: links that
// unfold, and our own posts, change in the same way.
func decodeEdited(e *messageEvent, me self) happening {
	if e.Now == nil || e.Before == nil {
		return skip(skipSubtype)
	}
	now := e.Now
	switch why := author(now.BotID, now.User, me); {
	case why != "":
		return skip(why)
	case now.SubType == "tombstone":
		return skip(skipSubtype)
	case now.Text == e.Before.Text:
		return skip(skipUnchanged)
	case now.Thread == "" || now.Thread == now.TS:
		return skip(skipOutside)
	}
	edited := e.EventTS
	if now.Edited != nil && now.Edited.TS != "" {
		edited = now.Edited.TS
	}
	return happening{
		Channel: e.Channel, Thread: now.Thread, Message: now.TS, User: now.User, Foreign: foreign(me, e.UserTeam, e.SourceTeam),
		Text: now.Text,
		Input: roundtable.Input{
			ID: "e:" + now.TS + ":" + edited, At: moment(edited),
			Event: roundtable.Edited{TS: now.TS, By: thread.Person{ID: now.User}, Text: now.Text, EditedTS: edited},
		},
		OurRoot: now.Parent != "" && now.Parent == me.user,
	}
}

// decodeDeleted strikes a person's message or one of ours that somebody removed.
func decodeDeleted(e *messageEvent) happening {
	gone := e.DeletedTS
	if e.Before == nil || gone == "" {
		return skip(skipSubtype)
	}
	if e.Before.Thread == "" || e.Before.Thread == gone {
		return skip(skipOutside)
	}
	return happening{
		Channel: e.Channel, Thread: e.Before.Thread, Message: gone,
		Input: roundtable.Input{ID: "d:" + gone, At: moment(firstOf(e.EventTS, e.TS)), Event: roundtable.Deleted{TS: gone}},
	}
}

// decodeMention reads app_mention, the second delivery of a message that names
// us. It opens a discussion where there is none; where there is one, the message
// itself counts.
func decodeMention(e *slackevents.AppMentionEvent, me self) happening {
	if why := author(e.BotID, e.User, me); why != "" {
		return skip(why)
	}
	if e.Edited != nil {
		return skip(skipMentionOnly)
	}
	h := happening{
		Channel: e.Channel, Thread: e.ThreadTimeStamp, Message: e.TimeStamp, User: e.User, Foreign: foreign(me, e.UserTeam, e.SourceTeam),
		Mention: true, Text: e.Text,
	}
	if h.Thread == e.TimeStamp {
		h.Thread = ""
	}
	return h
}

// foreign is the first team that is not ours.
func foreign(me self, teams ...string) string {
	for _, t := range teams {
		if t != "" && t != me.team {
			return t
		}
	}
	return ""
}

type reaction struct {
	user, name string
	item       slackevents.Item
	at         string
	removed    bool
}

// decodeReaction reads a reaction. Only emoji that mark something (FR-105) come further: each
// costs a question to the store.
func decodeReaction(r reaction, me self) happening {
	name, _, _ := strings.Cut(r.name, "::")
	_, marks := thread.MarkOf(name)
	switch {
	case author("", r.user, me) != "":
		return skip(author("", r.user, me))
	case r.item.Type != "message" || r.item.Timestamp == "":
		return skip(skipKind)
	case !marks:
		return skip(skipNoMark)
	}
	id := "r:" + r.item.Timestamp + ":" + r.user + ":" + name + ":" + r.at
	return happening{
		Channel: r.item.Channel, Message: r.item.Timestamp, User: r.user,
		Input: roundtable.Input{
			ID: id, At: moment(r.at),
			Event: roundtable.Reacted{TS: r.item.Timestamp, By: thread.Person{ID: r.user}, Emoji: name, Removed: r.removed},
		},
	}
}

// messageEvent is what is read of a message event. Its blocks, attachments and
// metadata are most of its bytes and nobody here reads them; every post of ours comes
// back with them. The library's own type reads all of it, twice.
type messageEvent struct {
	message
	Channel     string `json:"channel"`
	ChannelType string `json:"channel_type"`
	EventTS     string `json:"event_ts"`
	DeletedTS   string `json:"deleted_ts"`
	UserTeam    string `json:"user_team"`
	SourceTeam  string `json:"source_team"`
	// Now and Before are an edited message, Before also a deleted one; Root is the
	// thread's first message, for what was sent to the channel as well.
	Now    *message `json:"message"`
	Before *message `json:"previous_message"`
	Root   *message `json:"root"`
}

// message is what is read of a message.
type message struct {
	SubType     string `json:"subtype"`
	User        string `json:"user"`
	BotID       string `json:"bot_id"`
	Text        string `json:"text"`
	TS          string `json:"ts"`
	Thread      string `json:"thread_ts"`
	ClientMsgID string `json:"client_msg_id"`
	// Parent is the author of the thread's first message.
	Parent string `json:"parent_user_id"`
	Edited *edit  `json:"edited"`
	Files  []file `json:"files"`
}

type edit struct {
	TS string `json:"ts"`
}

type file struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// readMessages has the library read message events into messageEvent. Its registry
// concerns the whole process and must not change once events are being read.
var readMessages = sync.OnceFunc(func() { slackevents.EventsAPIInnerEventMapping[slackevents.Message] = messageEvent{} })

// readBack is a message that was read back.
func readBack(m *slack.Msg) *message {
	out := &message{
		SubType: m.SubType, User: m.User, BotID: m.BotID, Text: m.Text, TS: m.Timestamp, Thread: m.ThreadTimestamp,
		ClientMsgID: m.ClientMsgID, Parent: m.ParentUserId,
	}
	if m.Edited != nil {
		out.Edited = &edit{TS: m.Edited.Timestamp}
	}
	for _, f := range m.Files {
		out.Files = append(out.Files, file{Name: f.Name, Title: f.Title})
	}
	return out
}
