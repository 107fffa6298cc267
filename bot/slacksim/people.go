package slacksim

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// apiTest is api.test: it echoes its arguments.
func (w *Workspace) apiTest(c *call) (object, error) {
	if code := c.args["error"]; code != "" {
		return nil, refuse(code)
	}
	return object{"args": c.args}, nil
}

// authTest is auth.test.
func (w *Workspace) authTest(*call) (object, error) {
	return object{
		"url": w.origin() + "/", "team": w.opts.TeamName, "team_id": w.opts.TeamID,
		"user": w.people[0].Name, "user_id": w.opts.BotUserID, "bot_id": w.opts.BotID,
		"is_enterprise_install": false,
	}, nil
}

// member is the user object of users.info and user_change.
func (w *Workspace) member(p *Person) object {
	profile := object{
		"real_name": p.RealName, "real_name_normalized": p.RealName, "display_name": p.RealName, "display_name_normalized": p.RealName,
		"avatar_hash": "", "team": p.TeamID, "status_text": "", "status_emoji": "", "title": "",
	}
	first, last, _ := strings.Cut(p.RealName, " ")
	profile["first_name"], profile["last_name"] = first, last
	for _, size := range []int{24, 32, 48, 72, 192, 512} {
		profile[fmt.Sprintf("image_%d", size)] = ""
	}
	o := object{
		"id": p.ID, "team_id": p.TeamID, "name": p.Name, "deleted": p.Deleted, "color": p.Color, "real_name": p.RealName,
		"tz": p.TZ, "tz_label": p.TZLabel, "tz_offset": p.TZOffset, "profile": profile,
		"is_admin": false, "is_owner": false, "is_primary_owner": false, "is_restricted": p.IsRestricted, "is_ultra_restricted": false,
		"is_bot": p.IsBot, "is_app_user": false, "updated": 1766422444, "is_email_confirmed": !p.IsBot, "who_can_share_contact_card": "EVERYONE",
	}
	if p.IsStranger {
		o["is_stranger"] = true
	}
	if p.IsBot {
		profile["bot_id"], profile["api_app_id"], profile["always_active"] = w.opts.BotID, w.opts.AppID, true
	}
	return o
}

// userInfo is users.info.
func (w *Workspace) userInfo(c *call) (object, error) {
	p := w.person(c.args["user"])
	if p == nil {
		return nil, refuse("user_not_found")
	}
	user := w.member(p)
	if c.flag("include_locale") {
		user["locale"] = "en-US"
	}
	return object{"user": user}, nil
}

// userList is users.list.
func (w *Workspace) userList(c *call) (object, error) {
	var all []object
	for _, p := range w.people {
		all = append(all, w.member(p))
	}
	part, next, err := pageOf(c, all, 1000, 1000)
	if err != nil {
		return nil, err
	}
	return object{"members": part, "cache_ts": w.now().Unix(), "response_metadata": next}, nil
}

// dnd is a person's do-not-disturb state: the current or the next window.
func (w *Workspace) dnd(p *Person) object {
	if p.DND == nil || !p.DND.Enabled {
		return object{"dnd_enabled": false, "next_dnd_start_ts": 1, "next_dnd_end_ts": 1}
	}
	start, end := p.DND.window(w.now().In(p.zone()))
	return object{"dnd_enabled": true, "next_dnd_start_ts": start.Unix(), "next_dnd_end_ts": end.Unix()}
}

// zone is the person's time zone, by name, else by offset.
func (p *Person) zone() *time.Location {
	if loc, err := time.LoadLocation(p.TZ); err == nil && p.TZ != "" {
		return loc
	}
	return time.FixedZone(p.TZLabel, p.TZOffset)
}

// window is the do-not-disturb span that holds now, or else the next one.
func (d *DND) window(now time.Time) (start, end time.Time) {
	for day := -1; ; day++ {
		start = atClock(now, day, d.From)
		end = atClock(now, day, d.To)
		if !end.After(start) {
			end = atClock(now, day+1, d.To)
		}
		if end.After(now) {
			return start, end
		}
	}
}

// atClock is a wall-clock time some days from now. An unreadable time is midnight.
func atClock(now time.Time, days int, clock string) time.Time {
	hour, minute, _ := strings.Cut(clock, ":")
	h, _ := strconv.Atoi(hour)
	m, _ := strconv.Atoi(minute)
	return time.Date(now.Year(), now.Month(), now.Day()+days, h, m, 0, 0, now.Location())
}

// dndInfo is dnd.info.
func (w *Workspace) dndInfo(c *call) (object, error) {
	id := c.args["user"]
	if id == "" {
		id = w.opts.BotUserID
	}
	p := w.person(id)
	if p == nil {
		return nil, refuse("user_not_found")
	}
	out := w.dnd(p)
	out["snooze_enabled"] = false
	return out, nil
}

// dndTeamInfo is dnd.teamInfo. Unknown people are left out.
func (w *Workspace) dndTeamInfo(c *call) (object, error) {
	users := object{}
	for _, id := range c.list("users") {
		if p := w.person(id); p != nil {
			users[id] = w.dnd(p)
		}
	}
	return object{"users": users, "cached": false}, nil
}

// userGroupList is usergroups.list.
func (w *Workspace) userGroupList(c *call) (object, error) {
	groups := []object{}
	for _, g := range w.groups {
		o := object{
			"id": g.ID, "team_id": w.opts.TeamID, "is_usergroup": true, "name": g.Name, "handle": g.Handle, "description": "", "is_external": false,
			"date_create": 1766422444, "date_update": 1766422444, "date_delete": 0, "auto_type": nil, "created_by": w.people[0].ID, "updated_by": w.people[0].ID,
			"prefs": object{"channels": []string{}, "groups": []string{}},
		}
		if c.flag("include_count") {
			o["user_count"] = len(g.Users)
		}
		if c.flag("include_users") {
			o["users"] = g.Users
		}
		groups = append(groups, o)
	}
	return object{"usergroups": groups}, nil
}

// botInfo is bots.info.
func (w *Workspace) botInfo(c *call) (object, error) {
	if id := c.args["bot"]; id != "" && id != w.opts.BotID {
		return nil, refuse("bot_not_found")
	}
	return object{"bot": w.botProfile()}, nil
}
