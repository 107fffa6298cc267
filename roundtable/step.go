package roundtable

// Result is what Step decided: the next discussion, what to do, and what to
// append to the log.
type Result struct {
	Discussion Discussion
	Effects    []Effect
	Entries    []Entry
}
