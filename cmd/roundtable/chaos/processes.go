package chaos

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/engine/invariant"
)

// notable are the lines of the replicas' logs that tell how faults were got over,
// with what the journal calls them.
var notable = []struct{ mark, name string }{
	{"outcome=found", "post in doubt, found standing and adopted"},
	{"outcome=absent", "post in doubt, found absent and sent again"},
	{"msg=double_retracted", "double healed (told by a replica)"},
	{"msg=verified_after_rewind", "discussion verified after Redis restarted or failed over"},
	{"msg=input_parked", "input parked (told by a replica)"},
	{"end=lost", "holding lost to another replica, nothing more written"},
	{"msg=\"redis operation repeated\"", "Redis operation repeated"},
	{"msg=\"event not taken\"", "event left for redelivery"},
}

// processes reads what the replicas logged: what they got over is counted, a panic is a
// violation, and what they say of discussions in which something was broken is kept.
func (j *court) processes() {
	j.suspects = j.broken()
	for _, r := range j.fleet.replicas {
		if err := j.readLog(filepath.Join(j.fleet.dir, r.name+".log")); err != nil {
			j.log.violation("process", "read the log of %s: %v", r.name, err)
		}
	}
	slices.Sort(j.trace) // each line begins with its time
}

// broken are the ids of the discussions in which something was broken.
func (j *court) broken() []string {
	var ids []string
	for _, h := range j.held {
		if slices.ContainsFunc(j.log.violations(), func(v invariant.Violation) bool { return strings.Contains(v.Detail, h.ref.ID) }) {
			ids = append(ids, h.ref.ID)
		}
	}
	return ids
}

func (j *court) readLog(name string) (err error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	leaked := make(map[invariant.Violation]int)
	for lines.Scan() {
		line := lines.Text()
		for _, n := range notable {
			if strings.Contains(line, n.mark) {
				j.log.add(n.name, 1)
			}
		}
		if slices.ContainsFunc(j.suspects, func(id string) bool { return strings.Contains(line, id) }) {
			j.trace = append(j.trace, line+" replica="+filepath.Base(name))
		}
		if j.plan.Mode == Hostile {
			for _, v := range invariant.Check(invariant.Evidence{Logs: line, Canaries: hushed}) {
				leaked[v]++
			}
		}
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.Contains(line, "msg=\"handler panicked\"") {
			j.log.violation("process", "%s: %s", filepath.Base(name), line)
		}
	}
	for v, n := range leaked {
		j.log.violation(v.Invariant, "%s: %s, in %d lines", filepath.Base(name), v.Detail, n)
	}
	return lines.Err()
}
