package barrage

import (
	"slices"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// The workspace's id, and the tokens of its app.
const (
	team     = "T0BARRAGE"
	foreign  = "T0FOREIGN"
	botToken = "xoxb-barrage-workspace"
	appToken = "xapp-barrage-workspace"
)

// The people. Priya and Sam talk, and no envelope is forged in Priya's name; the others
// have envelopes forged in theirs.
const (
	priya   = "U0PRIYA01"
	sam     = "U0SAM0001"
	mallory = "U0MALLORY" // a member, in the open rooms
	nell    = "U0NELL001" // a member, in the side room alone
	gina    = "U0GUEST01" // a guest
	otto    = "U0OTTO001" // of another workspace
)

// The rooms: those in which all but Nell are, one of Nell's and Mallory's, one of
// Priya's and Sam's. Discussions are forged in the open ones, where they wait for each
// other's posts; Priya's are at the tables and in the vault.
var (
	opens  = []string{"C0OPEN001", "C0OPEN002"}
	tables = []string{"C0TABLE01", "C0TABLE02"}
	side   = "C0SIDE001"
	vault  = "C0VAULT01"
)

func rooms() []string { return slices.Concat(opens, tables, []string{side, vault}) }

func people() []slacksim.Person {
	return []slacksim.Person{
		{ID: priya, Name: "priya", RealName: "Priya Nair"}, {ID: sam, Name: "sam", RealName: "Sam Okafor"},
		{ID: mallory, Name: "mallory", RealName: "Mallory Crane"}, {ID: nell, Name: "nell", RealName: "Nell Varga"},
		{ID: gina, Name: "gina", RealName: "Gina Holt", IsRestricted: true}, {ID: otto, Name: "otto", RealName: "Otto Kern", TeamID: foreign},
	}
}

func channels() []slacksim.Channel {
	inside := []string{priya, sam, mallory, gina, otto}
	return []slacksim.Channel{
		{ID: opens[0], Name: "open-1", Members: inside}, {ID: opens[1], Name: "open-2", Members: inside},
		{ID: tables[0], Name: "table-1", Members: inside}, {ID: tables[1], Name: "table-2", Members: inside},
		{ID: side, Name: "side", Members: []string{nell, mallory}}, {ID: vault, Name: "vault", Private: true, Members: []string{priya, sam}},
	}
}

// entitled reports whether somebody may open, end and decide in a room, by the settings
// of the program under test: full members who are in it.
func entitled(user, room string) bool {
	if user == gina || user == otto {
		return false
	}
	if slices.ContainsFunc(people(), func(p slacksim.Person) bool { return user == p.ID && room == "D"+p.ID[1:] }) {
		return true // their own conversation with the app
	}
	i := slices.IndexFunc(channels(), func(c slacksim.Channel) bool { return c.ID == room })
	return i >= 0 && slices.Contains(channels()[i].Members, user)
}
