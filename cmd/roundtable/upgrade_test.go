package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// newerForm is how the newer program's stored form begins, and carried a field that
// only it knows.
var newerForm = fmt.Sprintf(`{"v":%d`, thread.FormVersion+1)

const carried = `"carried":"by the newer form"`

// newerProgram builds the program as a later version would be: it stores a newer form,
// with a field that this version does not know.
func newerProgram(t *testing.T) string {
	t.Helper()
	rules, err := filepath.Abs(filepath.Join("..", "..", "roundtable"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, changes := range map[string][2]string{
		"state.go":          {"type Discussion struct {\n", "type Discussion struct {\n\tCarried string `json:\"carried\"`\n"},
		"wire.go":           {"func Encode(d Discussion) ([]byte, error) {", "func Encode(d Discussion) ([]byte, error) { d.Carried = \"by the newer form\";"},
		"analysis/state.go": {"type Analysis struct {\n", "type Analysis struct {\n\tCarried string `json:\"carried\"`\n"},
		"thread/form.go":    {fmt.Sprintf("const FormVersion = %d", thread.FormVersion), fmt.Sprintf("const FormVersion = %d", thread.FormVersion+1)},
		"analysis/wire.go":  {"func Encode(a Analysis) ([]byte, error) {", "func Encode(a Analysis) ([]byte, error) { a.Carried = \"by the newer form\";"},
	} {
		source, err := os.ReadFile(filepath.Join(rules, file))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(source), changes[0], changes[1], 1)
		if text == string(source) {
			t.Fatalf("%s is not as it was when this test was written", file)
		}
		changed := filepath.Join(folder, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(rules, file)] = changed
	}
	raw, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list, binary := filepath.Join(folder, "overlay.json"), filepath.Join(folder, "roundtable")
	if err := os.WriteFile(list, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", list, "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the newer program: %v\n%s", err, out)
	}
	return binary
}

// ours is what a newer program stored, labelled as this version's, so that the judge
// can read it.
func ours(stored []byte) []byte {
	return bytes.Replace(stored, []byte(newerForm), []byte(fmt.Sprintf(`{"v":%d`, thread.FormVersion)), 1)
}

// retries is Slack's patience in quick: an event is delivered again every second, for
// two minutes.
var retries = slices.Repeat([]time.Duration{time.Second}, 120)

// deployment is a rolling deployment of two versions on one Redis.
type deployment struct {
	t          *testing.T
	store      *storage.Redis
	env        []string
	old, newer string
}

func (d *deployment) start(binary string) *process {
	d.t.Helper()
	p := launch(d.t, binary, d.t.TempDir(), d.env, "serve")
	ready(d.t, p)
	return p
}

// stored is a discussion's state as it is stored, and its log.
func (d *deployment) stored(of discussion) (state string, log []thread.Entry) {
	d.t.Helper()
	ref, found, err := d.store.FindThread(context.Background(), team, of.channel, of.root)
	if err != nil || !found {
		d.t.Fatalf("find the discussion of %s: %v, found %t", of.root, err, found)
	}
	raw, lines, err := d.store.Read(context.Background(), ref)
	if err != nil {
		d.t.Fatal(err)
	}
	for i := range lines {
		lines[i] = ours(lines[i])
	}
	if log, err = thread.DecodeLog(ref.ID, lines); err != nil {
		d.t.Fatal(err)
	}
	return string(raw), log
}

func (d *deployment) state(of discussion) string {
	d.t.Helper()
	state, _ := d.stored(of)
	return state
}

// measure reads a metric, 0 if it is not there.
func measure(address, name string) float64 {
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(get(address + "/metrics"))
	if m == nil {
		return 0
	}
	v, _ := strconv.ParseFloat(m[1], 64)
	return v
}

// TestRollingUpgradeAndBack deploys a version with a newer stored form over this one
// while discussions are open in every state, and an analysis, and people go on talking,
// goes back, and forward again. Replicas are killed, not stopped. An older replica never touches what
// the newer one stored: it keeps people's mail, says so, and does not spin; the newer
// one then answers everything (NFR-102; I1, I2, I3, I4, I5, I7).
func TestRollingUpgradeAndBack(t *testing.T) {
	t.Parallel()
	server := storagetest.RedisTCP(t, "--appendonly", "yes", "--appendfsync", "always")
	var o slacksim.Options
	for i := range 6 {
		o.Channels = append(o.Channels, slacksim.Channel{ID: fmt.Sprintf("C0ROOM00%d", i), Name: fmt.Sprintf("room-%d", i)})
	}
	o.Timing.Retry = retries
	w := localSlack(t, o)
	room := func(i int) person { return person{w, priya, o.Channels[i].ID} }
	d := &deployment{t: t, old: program(t), newer: newerProgram(t), store: storagetest.Open(t, server, storage.Options{}),
		env: append(serveEnv(w, server), "ROUNDTABLE_LEASE=3s", "ROUNDTABLE_SETTLE=10100ms", "ROUNDTABLE_PACE=300ms", "ROUNDTABLE_MAX_TURNS=50")}
	said := make(map[string][]string)
	say := func(in discussion, text string) string {
		ts := in.say(text)
		said[in.root] = append(said[in.root], ts)
		return ts
	}

	// As released.
	olds := []*process{d.start(d.old), d.start(d.old)}
	waiting, asking, ending := room(0).open("waits"), room(1).open("is asking"), room(2).open("ends")
	item := room(5).openBy("analyze Offline mode", "Offline mode")
	for _, each := range []discussion{waiting, asking, ending} {
		each.until("", "the room has the floor", containing("The floor is yours"))
	}
	item.until("", "Maya asks", question)

	// Forward: the old replicas die one by one, in the middle of everything.
	newers := []*process{d.start(d.newer)}
	toAlex := say(asking, "Alex, what breaks first when we ship?")
	done := ending.say("done")
	framing := room(3).open("is framed")
	olds[0].kill()
	second := say(waiting, "Jordan, how would you store it?")
	answer := item.say("About 40 files in 3 modules, high complexity.")
	newers = append(newers, d.start(d.newer))
	olds[1].kill()
	asking.until(toAlex, "Alex answers", by("Alex"))
	waiting.until(second, "Jordan answers", by("Jordan"))
	framing.until("", "the room has the floor", containing("The floor is yours"))
	ending.until(done, "the menu is back", containing(menu))
	item.until(answer, "Maya asks on", question)
	for _, each := range []discussion{waiting, asking, framing, item} {
		eventually(t, "the newer form is stored", func() string { return d.state(each) }, func() bool {
			state := d.state(each)
			return strings.HasPrefix(state, newerForm) && strings.Contains(state, carried)
		})
	}

	// Back: the newer replicas die while one of them has the word.
	back := d.start(d.old)
	address := "http://" + back.address(`msg="health checks" address=(\S+)`)
	say(asking, "What do you all think about starting small?")
	for _, p := range newers {
		p.kill()
	}
	late := say(waiting, "Maya, who has to agree?")
	lateToo := say(framing, "Decision: we start with read-only access")
	lateAnswer := item.say("The tills are part of it, too.")
	fresh := room(4).open("is new and old")
	fresh.until("", "the room has the floor", containing("The floor is yours"))
	// Four that people talk in; the fifth has ended and still looks after itself.
	eventually(t, "the old replica says what it leaves", func() string { return get(address + "/readyz") }, func() bool {
		return regexp.MustCompile(`^200 ok\ndiscussions left to a newer version: [45]\n$`).MatchString(get(address + "/readyz"))
	})
	before := []string{d.state(waiting), d.state(asking), d.state(framing), d.state(item)}
	refused := measure(address, `roundtable_holdings_total{end="newer"}`)
	last := fresh.say("Alex, are you still there?")
	said[fresh.root] = append(said[fresh.root], last)
	fresh.until(last, "Alex answers although others cannot", by("Alex"))
	<-time.After(5 * time.Second) // spinning shows
	if got := measure(address, `roundtable_holdings_total{end="newer"}`); got-refused > 15 || got < 3 {
		t.Errorf("the old replica refused %v discussions before and %v after, want a few", refused, got)
	}
	if got := measure(address, "roundtable_left_to_newer"); got != 4 && got != 5 {
		t.Errorf("roundtable_left_to_newer is %v, want 4 or 5", got)
	}
	if !strings.Contains(back.output.String(), "level=WARN msg=holding_ended") || !strings.Contains(back.output.String(), "end=newer") {
		t.Errorf("the old replica did not log that it leaves discussions to a newer version:\n%s", &back.output)
	}
	for i, each := range []discussion{waiting, asking, framing, item} {
		if got := d.state(each); got != before[i] || !strings.HasPrefix(got, newerForm) || !strings.Contains(got, carried) {
			t.Errorf("%s: the old replica changed what the newer one stored", each.channel)
		}
	}

	// Forward again: everything is answered, and ends well.
	again := d.start(d.newer)
	if code := back.terminate(); code != 0 {
		t.Errorf("the old replica ended with exit code %d, want 0", code)
	}
	waiting.until(late, "Maya answers", by("Maya"))
	framing.until(lateToo, "somebody reacts", spoken)
	item.until(lateAnswer, "Maya asks on", question)
	for _, each := range []discussion{waiting, asking, framing, fresh} {
		end := each.say("done")
		each.until(end, "the menu is back", containing(menu))
	}
	for _, each := range []discussion{waiting, asking, framing, fresh, ending} {
		judge(t, server, each, said[each.root]...)
	}
	var heard []string
	_, log := d.stored(item)
	for _, e := range log {
		if e.Person != nil {
			heard = append(heard, e.Text)
		}
	}
	if want := []string{"About 40 files in 3 modules, high complexity.", "The tills are part of it, too."}; !slices.Equal(heard, want) {
		t.Errorf("the analysis heard %q, want %q", heard, want)
	}
	letters, err := d.store.DeadLetters(context.Background(), 10)
	if err != nil || len(letters) != 0 {
		t.Errorf("put aside: %v, %v, want nothing", letters, err)
	}
	if code := again.terminate(); code != 0 {
		t.Errorf("the newer replica ended with exit code %d, want 0", code)
	}
	for _, p := range append(append(olds, newers...), back, again) {
		p.calm()
	}
}
