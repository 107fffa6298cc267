package barrage

import (
	"encoding/json"
	"fmt"
	"strings"
)

func (f *forger) message() envelope {
	at := f.spot()
	user := f.writer(at.room)
	inner := object{
		"type": "message", "channel": at.room, "channel_type": of(f, "channel", "channel", "im", "group", ""), "user": user, "text": f.text(user),
		"ts": of(f, f.fresh(), f.fresh(), f.fresh(), f.stamp()), "client_msg_id": of(f, "", "d:"+f.stamp(), "e:"+f.stamp()+":"+f.stamp(), quokka, "m:"+f.stamp()),
		"event_ts": f.fresh(),
	}
	if at.thread != "" {
		inner["thread_ts"], inner["parent_user_id"] = at.thread, of(f, "U0ROUND01", "", mallory)
	}
	if user == otto {
		inner["user_team"] = foreign
	}
	if f.chance(15) {
		inner["subtype"] = of(f, "file_share", "me_message", "thread_broadcast", "bot_message", "channel_join", "huddle_thread", oddity)
	}
	if f.chance(10) {
		inner["bot_id"] = of(f, "B0OTHER01", "B0ROUND01")
	}
	if f.chance(10) {
		inner["files"] = []any{object{"name": quokka + ".md", "title": strings.Repeat(quokka, 100)}, nil, object{}}
	}
	return f.event(inner, "message")
}

func (f *forger) edit() envelope {
	at := f.spot()
	user := f.writer(at.room)
	ts := f.stamp()
	now := object{"type": "message", "user": user, "text": f.text(user), "ts": ts, "thread_ts": at.thread, "edited": object{"user": user, "ts": f.fresh()}}
	before := object{"type": "message", "user": user, "text": quokka + " before", "ts": ts, "thread_ts": at.thread}
	if f.chance(10) {
		now["subtype"] = "tombstone"
	}
	inner := object{"type": "message", "subtype": "message_changed", "hidden": true, "channel": at.room, "ts": f.fresh(), "event_ts": f.fresh(), "message": now, "previous_message": before}
	if user == otto {
		inner["user_team"] = foreign
	}
	return f.event(inner, "message")
}

func (f *forger) deletion() envelope {
	at, ts := f.spot(), f.fresh() // of a message that nobody wrote: the people's own are theirs
	return f.event(object{
		"type": "message", "subtype": "message_deleted", "hidden": true, "channel": at.room, "ts": f.fresh(), "event_ts": f.fresh(), "deleted_ts": ts,
		"previous_message": object{"type": "message", "user": f.user(), "text": quokka, "ts": ts, "thread_ts": at.thread},
	}, "message")
}

func (f *forger) reaction() envelope {
	room := f.spot().room
	return f.event(object{
		"type": of(f, "reaction_added", "reaction_added", "reaction_removed"), "user": f.writer(room), "event_ts": f.fresh(),
		"reaction": of(f, "white_check_mark", "question", "pushpin", "heavy_check_mark::skin-tone-2", quokka, ""),
		"item":     object{"type": of(f, "message", "message", "file", ""), "channel": room, "ts": f.stamp()},
	}, "reaction_added")
}

func (f *forger) mention() envelope {
	at := f.spot()
	user := f.writer(at.room)
	inner := object{
		"type": "app_mention", "user": user, "channel": at.room, "ts": of(f, f.fresh(), f.stamp()), "event_ts": f.fresh(),
		"text": "<@U0ROUND01> " + of(f, f.topic(), "analyze "+f.topic(), "forget "+f.topic()+" for good", "show "+f.topic(), f.text(user)),
	}
	if f.chance(40) {
		inner["thread_ts"] = at.thread
	} else { // opens, and elsewhere than where people talk
		room := of(f, opens[0], opens[1], side)
		inner["channel"], inner["user"] = room, f.writer(room)
	}
	if user == otto {
		inner["user_team"] = foreign
	}
	return f.event(inner, "app_mention")
}

func (f *forger) home() envelope {
	return f.event(object{"type": "app_home_opened", "user": f.user(), "channel": f.room(), "tab": of(f, "home", "messages", "", quokka), "event_ts": f.fresh()}, "app_home_opened")
}

func (f *forger) otherEvent() envelope {
	kind := of(f, "member_left_channel", "channel_archive", "user_change", "tokens_revoked", "app_uninstalled", "file_shared", "link_shared", oddity)
	return f.event(object{"type": kind, "user": f.user(), "channel": f.room(), "tokens": object{"bot": []any{quokka}}, "event_ts": f.fresh()}, kind)
}

// buttons are all there are, and some that are not.
var buttons = []string{
	"continue", "extend", "wrap_up", "keep_on", "choose", "retry", "quiet", "mute", "open_floor", "share", "catch_up", "again", "analyse",
	"accept", "redo", "skip", "stop", "next", "elaborate", "", quokka, "wrap_up:2",
}

func (f *forger) button() envelope {
	at := f.spot()
	value := f.id() + of(f, "|", "|", "", "||", "|"+quokka) + of(f, "", "10", "c1/0", "c1/99", "-1", "999999999999", quokka)
	action := object{"type": "button", "action_id": of(f, "rt:", "rt:", "rt:", "rt_home_start", "rt_home_analyze", "rt_offer_start", "") + of(f, buttons...),
		"block_id": "b", "value": value, "action_ts": f.fresh()}
	if f.chance(5) {
		action["value"] = ""
	}
	return f.interactive("block_actions", f.user(), object{
		"channel": object{"id": at.room, "name": quokka}, "actions": []any{action}, "response_url": "http://127.0.0.1:1/" + quokka,
		"container": object{"type": of(f, "message", "view"), "message_ts": f.stamp(), "thread_ts": at.thread, "channel_id": of(f, at.room, at.room, at.room, "")},
		"message":   object{"ts": at.thread, "thread_ts": at.thread, "text": quokka},
	})
}

// carried is what a form carries along unseen.
func (f *forger) carried() string {
	at := spot{f.room(), ""}
	if f.chance(25) {
		at = f.spot()
	}
	whole, err := json.Marshal(object{"channel": at.room, "thread": of(f, "", at.thread), "message": of(f, "", "", f.stamp())})
	if err != nil {
		panic(fmt.Sprintf("barrage: encode what a form carries: %v", err)) // it is text
	}
	return of(f, string(whole), string(whole), "{}", "", "{", `{"channel":7}`, string(deep(50)), `"`+quokka+`"`)
}

func (f *forger) form() envelope {
	option := func(key string) object {
		return object{"value": key, "text": object{"type": "plain_text", "text": quokka}}
	}
	cast := []any{option("business-analyst"), option("system-designer"), option("solutions-architect")}
	values := object{
		"topic":    object{"topic": object{"type": "plain_text_input", "value": f.topic()}},
		"context":  object{"context": object{"type": "plain_text_input", "value": strings.Repeat(quokka, f.dice.IntN(400))}},
		"turns":    object{"turns": object{"type": "plain_text_input", "value": of(f, "5", "10", "-1", "", quokka, "99999999999999999999")}},
		"lead":     object{"lead": object{"type": "static_select", "selected_option": option(of(f, "business-analyst", "business-analyst", quokka))}},
		"personas": object{"personas": object{"type": "multi_static_select", "selected_options": cast[:1+f.dice.IntN(3)]}},
		"invite":   object{"invite": object{"type": "multi_users_select", "selected_users": []any{sam, of(f, priya, "!channel", "U1> <!here", quokka)}}},
		"channel":  object{"channel": object{"type": "conversations_select", "selected_conversation": f.room()}},
	}
	return f.interactive("view_submission", f.user(), object{"view": object{
		"id": "V" + f.fresh(), "type": "modal", "callback_id": of(f, "rt_start", "rt_start", "rt_start", quokka), "private_metadata": f.carried(), "state": object{"values": values},
	}})
}

func (f *forger) itemForm() envelope {
	values := object{
		"item":    object{"item": object{"type": "plain_text_input", "value": f.topic()}},
		"channel": object{"channel": object{"type": "conversations_select", "selected_conversation": f.room()}},
	}
	return f.interactive("view_submission", f.user(), object{"view": object{
		"id": "V" + f.fresh(), "type": "modal", "callback_id": "rt_analyze", "private_metadata": "", "state": object{"values": values},
	}})
}

func (f *forger) viewClosed() envelope {
	return f.interactive("view_closed", f.user(), object{"is_cleared": f.chance(50), "view": object{"id": quokka, "callback_id": of(f, "rt_start", quokka), "private_metadata": f.carried()}})
}

func (f *forger) shortcut() envelope {
	at := f.spot()
	return f.interactive(of(f, "message_action", "shortcut"), f.user(), object{
		"callback_id": of(f, "rt_ask_message", "rt_start_global", "rt_controls_message", quokka), "channel": object{"id": at.room, "name": quokka}, "message_ts": at.thread,
		"message": object{"type": "message", "ts": of(f, at.thread, f.stamp()), "thread_ts": at.thread, "text": f.text(gina), "user": f.user()},
	})
}

func (f *forger) command() envelope {
	user := f.user()
	text := of(f, f.topic(), f.topic(), "analyze "+f.topic(), "forget "+f.topic()+" for good", "show "+f.topic(), "export "+f.topic(), "list", "status", "", "help", f.text(user),
		"forget https://local.slack.com/archives/"+f.spot().room+"/p"+strings.ReplaceAll(f.stamp(), ".", "")+" for good")
	return envelope{kind: "slash_commands", payload: f.bend(object{
		"token": "x", "team_id": f.teamOf(user), "team_domain": "local", "channel_id": f.slashRoom(user), "channel_name": quokka, "user_id": user, "user_name": quokka,
		"command": of(f, "/roundtable", "/roundtable", "/roundtable", "/"+quokka), "text": text, "response_url": "http://127.0.0.1:1/" + quokka, "trigger_id": f.fresh(),
	})}
}

// slashRoom is a room from which somebody can type a command: Slack lets nobody type in
// one that they are not in.
func (f *forger) slashRoom(user string) string {
	switch user {
	case nell:
		return of(f, side, "D0NELL001")
	case mallory, gina, otto:
		return of(f, opens...)
	case sam:
		return of(f, opens[0], vault)
	}
	return f.room()
}

func (f *forger) suggestion() envelope {
	return f.interactive("block_suggestion", f.user(), object{"action_id": of(f, "rt:choose", quokka), "block_id": quokka, "value": quokka})
}

func (f *forger) unknown() envelope {
	return envelope{kind: of(f, "workflow_step", oddity, "hello", "events_api "), payload: f.bend(object{"type": oddity, "user": f.user(), "text": f.text(gina)})}
}

// broken is a frame that is no envelope: half of one, one without an id, bytes.
func (f *forger) broken() envelope {
	inner := f.message().payload
	whole := fmt.Sprintf(`{"type":"events_api","envelope_id":"%s-%d","accepts_response_payload":false,"payload":%s}`, quokka, f.made, inner)
	return envelope{frame: []byte(of(f,
		whole[:f.dice.IntN(len(whole))], `{"type":"events_api","payload":`+string(inner)+`}`, `{"type":"events_api","envelope_id":7,"payload":{}}`, "[]", "null", "{}", `"`+quokka+`"`,
		strings.Repeat("[", 1+f.dice.IntN(20_000)), strings.Repeat(quokka, 1+f.dice.IntN(50_000)), `{"type":"interactive","envelope_id":"x","payload":`+string(deep(2000))+`}`,
		`{"type":"slash_commands","envelope_id":"y"}`, "\x00\x01\x02", `{"type":"interactive","envelope_id":"z","payload":{"type":"block_actions","actions":[null]}}`))}
}
