package roundtable

// Origin is the analysis that a discussion was opened from: its id, and its thread
// in the same channel. A discussion with an origin reports to it (AC-006-03).
type Origin struct {
	Analysis string `json:"analysis"`
	Thread   string `json:"thread"`
}

// reportedDecisions bounds how many decisions a report carries, and
// decisionLimit how long each is, in characters.
const (
	reportedDecisions = 5
	decisionLimit     = 200
)

// reportOpened tells the analysis where the elaboration stands. The keys of reports
// need no input's id: a discussion is opened and ended once.
func (s *step) reportOpened() {
	if r, ok := s.newReport("/opened"); ok {
		s.do(r)
	}
}

// reportEnded tells the analysis what the elaboration came to, also if it was left
// before it began or could never be shown.
func (s *step) reportEnded() {
	r, ok := s.newReport("/ended")
	if !ok {
		return
	}
	r.Ended, r.Turns = true, s.d.Turns
	if x := s.d.Exit; x != nil && x.Kind == ExitRefused {
		r.Refused = x.Reason
	}
	if o := s.d.Outcome; o != nil {
		_, written := s.in.Event.(Enriched)
		r.Unwritten = !written
		r.Summary = o.Summary
		told := o.Decisions[:min(len(o.Decisions), reportedDecisions)]
		for _, p := range told {
			r.Decisions = append(r.Decisions, clip(oneLine(p.Text), decisionLimit))
		}
		r.Untold = len(o.Decisions) - len(told)
	}
	s.do(r)
}

func (s *step) newReport(key string) (Report, bool) {
	o := s.d.Origin
	if o == nil {
		return Report{}, false
	}
	return Report{Key: s.d.ID + key, To: o.Analysis, At: s.in.At, By: s.d.Opener, Step: s.d.Step, Thread: s.d.Place.Thread}, true
}
