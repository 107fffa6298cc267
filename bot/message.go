package bot

import (
	"sync"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
)

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
