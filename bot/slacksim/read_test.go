package slacksim_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// slack-go reads people, channels and their members.
func TestReadingTheWorkspace(t *testing.T) {
	night := time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC) // 23:30 in India
	r := start(t, slacksim.Options{
		Now:        func() time.Time { return night },
		UserGroups: []slacksim.UserGroup{{ID: "S0DESIGN1", Handle: "design", Name: "Design", Users: []string{sam}}},
		Channels: []slacksim.Channel{{ID: general, Name: "general"}, {ID: "C0SHARED", Name: "shared", IsExtShared: true},
			{ID: "C0ALONE", Name: "alone", WithoutBot: true}, {ID: "C0SECRET", Name: "secret", Private: true, WithoutBot: true}},
	})
	ctx := t.Context()
	user, err := r.api.GetUserInfoContext(ctx, priya)
	if err != nil || user.TZ != "Asia/Kolkata" || user.TZOffset != 19800 || user.RealName != "Priya Nair" {
		t.Errorf("users.info: got %+v %v", user, err)
	}
	users, err := r.api.GetUsersContext(ctx)
	if err != nil || len(users) != 4 {
		t.Errorf("users.list: got %d %v, want three people and the app", len(users), err)
	}
	who := priya
	dnd, err := r.api.GetDNDInfoContext(ctx, &who)
	if err != nil || !dnd.Enabled || int64(dnd.NextStartTimestamp) > night.Unix() || int64(dnd.NextEndTimestamp) <= night.Unix() {
		t.Errorf("dnd.info at night: got %+v %v", dnd, err)
	}
	team, err := r.api.GetDNDTeamInfoContext(ctx, []string{priya, sam})
	if err != nil || !team[priya].Enabled || team[sam].Enabled {
		t.Errorf("dnd.teamInfo: got %+v %v", team, err)
	}
	info, err := r.api.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: "C0SHARED"})
	if err != nil || !info.IsExtShared || !info.IsMember {
		t.Errorf("conversations.info: got %+v %v", info, err)
	}
	channels, _, err := r.api.GetConversationsContext(ctx, &slack.GetConversationsParameters{Types: []string{"public_channel", "private_channel"}})
	var names []string
	for _, c := range channels {
		names = append(names, c.Name)
	}
	if want := []string{"general", "shared", "alone"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("conversations.list: got %v %v, want %v", names, err, want)
	}
	members, _, err := r.api.GetUsersInConversationContext(ctx, &slack.GetUsersInConversationParameters{ChannelID: general})
	if err != nil || len(members) != 4 {
		t.Errorf("conversations.members: got %v %v", members, err)
	}
	if _, _, _, err := r.api.JoinConversationContext(ctx, "C0ALONE"); err != nil {
		t.Errorf("conversations.join: %v", err)
	}
	dm, _, _, err := r.api.OpenConversationContext(ctx, &slack.OpenConversationParameters{Users: []string{sam}, ReturnIM: true})
	if err != nil || dm.ID == "" || !dm.IsIM {
		t.Errorf("conversations.open: got %+v %v", dm, err)
	}
	mine, _, err := r.api.GetConversationsForUserContext(ctx, &slack.GetConversationsForUserParameters{})
	if err != nil || len(mine) != 3 {
		t.Errorf("users.conversations: got %d %v, want 3", len(mine), err)
	}
	groups, err := r.api.GetUserGroupsContext(ctx, slack.GetUserGroupsOptionIncludeUsers(true))
	if err != nil || len(groups) != 1 || groups[0].Handle != "design" || !slices.Equal(groups[0].Users, []string{sam}) {
		t.Errorf("usergroups.list: got %+v %v", groups, err)
	}
	bot, err := r.api.GetBotInfoContext(ctx, slack.GetBotInfoParameters{Bot: "B0ROUND01"})
	if err != nil || bot.UserID != "U0ROUND01" {
		t.Errorf("bots.info: got %+v %v", bot, err)
	}
}

func TestHistoryIsNewestFirstWithoutReplies(t *testing.T) {
	r := start(t, slacksim.Options{})
	first := r.say(priya, general, "", "first")
	r.say(sam, general, first, "reply")
	second := r.say(sam, general, "", "second")
	shared := r.do("say", map[string]any{"as": sam, "channel": general, "thread_ts": first, "text": "for all", "broadcast": true})["ts"].(string)
	out, err := r.api.GetConversationHistoryContext(t.Context(), &slack.GetConversationHistoryParameters{ChannelID: general})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range out.Messages {
		got = append(got, m.Timestamp)
	}
	if want := []string{shared, second, first}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The files export uploads come back byte for byte.
func TestFileUpload(t *testing.T) {
	r := start(t, slacksim.Options{})
	root := r.say(priya, general, "", "export")
	content := []byte("PK\x03\x04 not really a zip")
	f, err := r.api.UploadFileContext(t.Context(), slack.UploadFileParameters{
		Reader: bytes.NewReader(content), Filename: "notes.zip", FileSize: len(content), Channel: general, ThreadTimestamp: root, Title: "Notes"})
	if err != nil {
		t.Fatal(err)
	}
	posts := r.w.Messages(general)
	last := posts[len(posts)-1]
	if last.Subtype != "file_share" || last.ThreadTS != root || last.Files[0]["id"] != f.ID || last.Files[0]["title"] != "Notes" {
		t.Errorf("got %+v", last)
	}
	resp, err := r.web.Get(r.url + last.Files[0]["url_private"].(string))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got bytes.Buffer
	if _, err := got.ReadFrom(resp.Body); err != nil || !bytes.Equal(got.Bytes(), content) {
		t.Errorf("got %q %v", got.Bytes(), err)
	}
}

func TestHomeAndViewUpdate(t *testing.T) {
	r := start(t, slacksim.Options{})
	events := r.stream(priya)
	home := `{"type":"home","blocks":[{"type":"section","text":{"type":"mrkdwn","text":"one"}}]}`
	out := r.method("views.publish", map[string]string{"user_id": priya, "view": home})
	if out["ok"] != true {
		t.Fatalf("views.publish: %v", out)
	}
	view := out["view"].(map[string]any)
	if got := events.next("home")["home"].(map[string]any)["id"]; got != view["id"] {
		t.Errorf("page: got view %v, want %v", got, view["id"])
	}
	again := map[string]string{"view_id": view["id"].(string), "hash": view["hash"].(string), "view": home}
	if out := r.method("views.update", again); out["ok"] != true {
		t.Errorf("views.update: %v", out)
	}
	if out := r.method("views.update", again); out["error"] != "hash_conflict" {
		t.Errorf("with the old hash: got %v", out)
	}
}
