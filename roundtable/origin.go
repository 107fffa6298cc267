package roundtable

// Origin is the analysis that a discussion was opened from: its id, and its thread
// in the same channel. A discussion with an origin reports to it (AC-006-03).
type Origin struct {
	Analysis string `json:"analysis"`
	Thread   string `json:"thread"`
}

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
	r.Ended = true
	if x := s.d.Exit; x != nil && x.Kind == ExitRefused {
		r.Refused = x.Reason
	}
	_, written := s.in.Event.(Enriched)
	r.Conclusion = s.d.conclusion()
	r.Unwritten = s.d.Outcome != nil && !written
	s.do(r)
}

func (s *step) newReport(key string) (Report, bool) {
	o := s.d.Origin
	if o == nil {
		return Report{}, false
	}
	return Report{Key: s.d.ID + key, To: o.Analysis, At: s.in.At, By: s.d.Opener, Step: s.d.Step, Thread: s.d.Place.Thread}, true
}
