package thread

import (
	"crypto/sha256"
	"encoding/base32"
	"time"
)

// ClosedToUs reports whether it is the channel or the thread that takes no messages.
func (w *Stall) ClosedToUs() bool {
	switch w.Reason {
	case ReasonArchived, ReasonNotInChannel, ReasonNoPermission, ReasonThreadGone:
		return true
	case ReasonModelUnavailable, ReasonModelRefused, ReasonModelConfig, ReasonOverBudget, ReasonMessageRefused, ReasonUndrawn,
		ReasonArtifactRefused, ReasonTooLarge:
	}
	return false
}

// NewID derives a discussion's id from the request that opens it, so that the
// same request repeated opens nothing new.
func NewID(team, channel, request string) string {
	sum := sha256.Sum256([]byte(team + "\x00" + channel + "\x00" + request))
	return "D" + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:10])
}

// Place says where a discussion lives: Slack ids of the workspace and channel,
// the timestamp of the thread's first message, and that of the introduction,
// which is the same message unless the discussion was opened inside a thread.
// Both are empty until the introduction is posted.
type Place struct {
	Team    string `json:"team"`
	Channel string `json:"channel"`
	Thread  string `json:"thread,omitempty"`
	Root    string `json:"root,omitempty"`
}

// Unmade counts how often in a row an effect failed in the program itself, whoever held
// the discussion, so that it can be put aside and what follows goes on (I10). An older
// replica drops it and counts anew.
type Unmade struct {
	Effect string `json:"effect"`
	Times  int    `json:"times"`
}

// Withheld says that Slack takes no messages where a discussion lives, because of the
// channel and not because of a message. What is to be posted waits, in order (I3).
type Withheld struct {
	Reason Reason    `json:"reason"`
	Since  time.Time `json:"since"`
}

// LastTurn is what gathering needs to know of the newest turn.
type LastTurn struct {
	// Person is the id of the person who spoke; empty for a persona.
	Person string `json:"person,omitempty"`
	// Start is when the contribution began.
	Start time.Time `json:"start"`
}

// Stall is a failure that keeps personas from going on.
type Stall struct {
	Reason Reason `json:"reason"`
	// Budget is the one that is used up, for ReasonOverBudget.
	Budget *Budget `json:"budget,omitempty"`
}

// ClosedGrace is how long a closed discussion still answers: late messages get a
// sentence, its menu works. Then the store may forget it.
const ClosedGrace = 7 * 24 * time.Hour

// Upkeep is what the engine keeps in a state for itself. The rules neither read nor change
// it, but where they say that Slack takes no messages.
type Upkeep struct {
	// RootDoubted is set once the introduction was sent again because it was not
	// found: the first may still appear, in the channel.
	RootDoubted bool `json:"root_doubted,omitempty"`
	// DoubtedAt is when a post was last sent again because it was not found in
	// Slack: it may turn up after all, beside its successor.
	DoubtedAt time.Time `json:"doubted_at,omitzero"`
	// Audited is when Slack was last read for posts that stand twice.
	Audited time.Time `json:"audited,omitzero"`
	// RootShown is the digest of the root message as last shown.
	RootShown string `json:"root_shown,omitempty"`
	// Withheld is set while Slack takes no messages here, Unmade while what is to be done
	// next fails here.
	Withheld *Withheld `json:"withheld,omitempty"`
	Unmade   *Unmade   `json:"unmade,omitempty"`
}
