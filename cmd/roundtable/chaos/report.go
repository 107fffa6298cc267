package chaos

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
)

// Report is the report old with the verdicts in the places of their modes. The
// sections of other modes stay as they are, whatever else stood there goes. A
// section that does not end is an error.
func Report(old []byte, verdicts []Verdict) ([]byte, error) {
	report := []byte(Preface)
	for _, mode := range Modes() {
		text, err := part(old, mode)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Plan.Mode == mode }); i >= 0 {
			text = []byte(verdicts[i].Table())
		}
		if len(text) > 0 {
			begin, end := bounds(mode)
			report = slices.Concat(report, []byte("\n"), begin, text, end)
		}
	}
	return report, nil
}

// part is the section of a mode in a report, without its bounds.
func part(report []byte, mode Mode) ([]byte, error) {
	begin, end := bounds(mode)
	_, rest, found := bytes.Cut(report, begin)
	if !found {
		return nil, nil
	}
	text, _, found := bytes.Cut(rest, end)
	if !found {
		return nil, fmt.Errorf("read the report: section %s has no end", mode)
	}
	return text, nil
}

// bounds are the lines round the section of a mode.
func bounds(mode Mode) (begin, end []byte) {
	return fmt.Appendf(nil, "<!-- %s -->\n", mode), fmt.Appendf(nil, "<!-- end of %s -->\n", mode)
}

// Commit names the commit that the working directory is at, or nothing where git
// cannot tell. Changes to documents do not count: reports are some.
func Commit(ctx context.Context) string {
	head, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return ""
	}
	changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--", ":/", ":(top,exclude)docs").Output()
	if err != nil {
		return ""
	}
	commit := string(bytes.TrimSpace(head))
	if len(changed) > 0 {
		commit += " with changes"
	}
	return commit
}
