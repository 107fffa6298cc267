package storage

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// keys builds every key there is. All begin with "{prefix:shard}", a hash tag, so
// that everything a script touches lies in one Cluster slot. The shard follows
// from team and channel: discussions of a channel share its pace, and Slack
// limits posts per channel anyway. The prefix names the layout of the keys; a
// change of layout changes it. The number of shards must never change. The budgets
// are no channel's; see budget.
//
// <ref> is team/channel/id, which is also the member of due and act.
type keys struct {
	prefix string
	shards int
}

// shard returns the shard of a channel.
func (k keys) shard(team, channel string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(team + "/" + channel)) // a hash never fails
	return int(h.Sum32() % uint32(k.shards))     //nolint:gosec // shards is small and positive
}

func (k keys) in(shard int, rest string) string {
	return "{" + k.prefix + ":" + strconv.Itoa(shard) + "}:" + rest
}

func (k keys) of(ref engine.Ref, kind string) string {
	return k.in(k.shard(ref.Team, ref.Channel), kind+":"+member(ref))
}

// thread is a HASH, the discussion itself, changed by one HSET per script. It
// lives until the discussion is closed, then for the retention time. Fields:
//
//	lop     id of the last operation applied: the fencing token; empty until claimed
//	run     run id of the server for which it was created or committed last
//	knows   run id that the holder saw when it claimed, which its commits write to run
//	own lu  owner, and end of the lease in ms; lu is 0 when nobody holds it
//	claims  claims since the last commit
//	try tn  what a holder announced that it would work on, and how often in a row; no commit came after
//	state   the discussion's state, opaque; absent until the first commit of one
//	ln      entries in the log
//	lr lw   the operation that rewrote entries of the log last, and their indexes; absent until one did
//	oh ot   head and tail of the outbox; o:<n> for oh <= n < ot is key, newline, body
//	os on   when the head was marked as attempted (ms, 0 for not), and how often
//	pw      when the pace permits the attempt that was refused last (ms, 0 for granted)
//	lc      marks of the mail that was consumed last, separated by spaces
//	th      timestamp of the thread's root, once known
//	closed  retention in ms, once closed
//	gone    key of the forgetting that put it out of sight, while it can be taken back
//	wake    when its timer is due, in ms, while that is suspended because it is being removed
//
// While nobody holds it, own, knows and claims are absent, and so are os, on and pw where
// they say nothing.
func (k keys) thread(ref engine.Ref) string { return k.of(ref, "t") }

// mailbox is a HASH from mark to operation id, newline, mail. It lives as thread.
func (k keys) mailbox(ref engine.Ref) string { return k.of(ref, "in") }

// log is a HASH from index to entry; what stands at ln and beyond does not count.
// <index>:<operation> is the new form of an entry on its way to its place, and counts if
// the operation is lr. A list would not bear a repetition. It lives as thread.
func (k keys) log(ref engine.Ref) string { return k.of(ref, "lg") }

// seen is a HASH from mark to nothing, for consumed inputs, or from the mark of a
// further identity to the input's mark, or from a timestamp of a post, in µs, to
// nothing. @<person> are marks of mail of that person's that came while the mailbox was a
// quarter full; those that are not in the mailbox any more do not count. It lives as
// thread, so that an input is recognised however late Slack repeats it, and a message
// however late somebody marks it.
func (k keys) seen(ref engine.Ref) string { return k.of(ref, "sn") }

// alias is a STRING with the ref of the discussion whose root has this timestamp.
// It lives as thread.
func (k keys) alias(team, channel, thread string) string {
	return k.in(k.shard(team, channel), "al:"+team+"/"+channel+"/"+thread)
}

// pace is a STRING: the theoretical arrival time of the channel's next post in ms.
// It expires a minute after it has passed.
func (k keys) pace(team, channel string) string {
	return k.in(k.shard(team, channel), "rl:"+team+"/"+channel)
}

// due is a ZSET of refs by the ms at which each next needs somebody: now when
// mail waits, the lease's end while held, the next timer when idle. No end.
func (k keys) due(shard int) string { return k.in(shard, "due") }

// act is a ZSET of refs of open discussions by last activity in ms. No end.
func (k keys) act(shard int) string { return k.in(shard, "act") }

// channel is a ZSET of the ids of a channel's open discussions by the timestamp of their
// thread's root in µs. No end: closing a discussion takes it out.
func (k keys) channel(team, channel string) string {
	return k.in(k.shard(team, channel), "ch:"+team+"/"+channel)
}

// letters is a STREAM of mail that was parked, with ref, mail, reason and time,
// trimmed to about lettersKept and, whenever one is parked, to the retention time.
// It expires when none was parked for as long.
func (k keys) letters(shard int) string { return k.in(shard, "dlq") }

// audit is a STREAM of what people did in the channels of the shard, in the field act; see
// packAct. It is trimmed to its own retention time whenever a line is added, and expires
// when none was added for as long.
func (k keys) audit(shard int) string { return k.in(shard, "aud") }

// item is a HASH: v is the version, meta is meta.json, f:<name> an artifact,
// k:<key> the result of an effect that was merged, o:<person> who opened what it came
// from, lop the last operation, gone the key of the forgetting that put it out of sight,
// while it can be taken back, with gv, the version that it put out of sight, and sealed, the
// same once it is being removed. No end.
func (k keys) item(ref engine.ItemRef) string {
	return k.in(k.shard(ref.Team, ref.Channel), "it:"+ref.Team+"/"+ref.Channel+"/"+ref.Slug)
}

// items is a SET of the slugs of a channel's items, without those that are out of sight.
// No end.
func (k keys) items(team, channel string) string {
	return k.in(k.shard(team, channel), "its:"+team+"/"+channel)
}

// occupant is a STRING with the id of the workspace that the store belongs to: due and
// act of a shard list what is of any workspace. Versions that do not know it leave it
// alone, and so does whatever forgets. No end.
func (k keys) occupant() string { return k.in(0, "team") }

// readings is a STRING: the ms from which threads of a workspace may be read back from
// Slack again, and the operation that was permitted last. It expires a minute after
// that. What is no channel's lies in the first shard.
func (k keys) readings(team string) string { return k.in(0, "rr:"+team) }

// askings is a STRING like readings: the ms from which Slack may be asked again in which
// thread of a workspace a message stands.
func (k keys) askings(team string) string { return k.in(0, "as:"+team) }

// backoffs is a HASH from method of Slack's Web API to the ms until which a workspace
// leaves it alone (429). It expires a second after the last of them.
func (k keys) backoffs(team string) string { return k.in(0, "bo:"+team) }

// first is a STRING with the operation that was the first to ask about something. It
// expires after firstKept.
func (k keys) first(what string) string { return k.in(0, "1st:"+what) }

// probe is a STRING with nothing in it, written to see whether writing works. It
// expires after ten seconds.
func (k keys) probe(shard int) string { return k.in(shard, "probe") }

// The budgets of language models concern all channels and are changed by one
// script, so they have a hash tag of their own, "{prefix:budget}". Calls to models
// are few and slow, so one slot bears them.
func (k keys) budget(rest string) string { return "{" + k.prefix + ":budget}:" + rest }

// accounts is a HASH, no end. Fields, whose form lua/accounts.lua describes:
//
//	all            everything the deployment used
//	y/<date>       a day of UTC; removed 40 days after its last charge
//	d/<discussion> a discussion; removed 180 days after its last charge
//	r/<charge>     a charge that is open; removed when it is settled or its time is up
func (k keys) accounts() string { return k.budget("acc") }

// charges is a ZSET of open charges by the ms at which each counts as spent. No end.
func (k keys) charges() string { return k.budget("open") }

// ages is a ZSET of accounts by the ms at which each may be removed. No end.
func (k keys) ages() string { return k.budget("ages") }

// member returns how a discussion is called in due, act and aliases.
func member(ref engine.Ref) string { return ref.Team + "/" + ref.Channel + "/" + ref.ID }

// parseMember is the inverse of member.
func parseMember(s string) (engine.Ref, error) {
	part := strings.SplitN(s, "/", 3)
	if len(part) != 3 {
		return engine.Ref{}, fmt.Errorf("%q does not name a discussion", s)
	}
	return engine.Ref{Team: part[0], Channel: part[1], ID: part[2]}, nil
}

// checkRef refuses names that would make two discussions share a key.
func checkRef(ref engine.Ref) error {
	if err := checkChannel(ref.Team, ref.Channel); err != nil {
		return err
	}
	if ref.ID == "" {
		return fmt.Errorf("a discussion needs an id")
	}
	return nil
}

func checkChannel(team, channel string) error {
	if team == "" || channel == "" || strings.Contains(team, "/") || strings.Contains(channel, "/") {
		return fmt.Errorf("%q and %q do not name a team and a channel", team, channel)
	}
	return nil
}
