package chaos

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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

// processes reads what the replicas logged: what they got over is counted, and a
// panic is a violation.
func (j *court) processes() {
	for _, r := range j.fleet.replicas {
		if err := j.readLog(filepath.Join(j.fleet.dir, r.name+".log")); err != nil {
			j.log.violation("process", "read the log of %s: %v", r.name, err)
		}
	}
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
	for lines.Scan() {
		line := lines.Text()
		for _, n := range notable {
			if strings.Contains(line, n.mark) {
				j.log.add(n.name, 1)
			}
		}
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.Contains(line, "msg=\"handler panicked\"") {
			j.log.violation("process", "%s: %s", filepath.Base(name), line)
		}
	}
	return lines.Err()
}
