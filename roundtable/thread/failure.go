package thread

// Reason is a kind of failure, of which SayFailure makes a sentence (I10).
type Reason string

// The reasons for which a discussion stops or an effect is given up.
const (
	ReasonModelUnavailable Reason = "model_unavailable"
	ReasonModelRefused     Reason = "model_refused"
	ReasonModelConfig      Reason = "model_config"
	ReasonOverBudget       Reason = "over_budget"
	ReasonArchived         Reason = "archived"
	ReasonNotInChannel     Reason = "not_in_channel"
	ReasonNoPermission     Reason = "no_permission"
	ReasonThreadGone       Reason = "thread_gone"
	ReasonMessageRefused   Reason = "message_refused"
	ReasonArtifactRefused  Reason = "artifact_refused"
	// ReasonUndrawn means that a message could not be drawn here, so that Slack never
	// saw it.
	ReasonUndrawn Reason = "undrawn"
	// ReasonTooLarge means that what the panel answered cannot be kept for its size.
	ReasonTooLarge Reason = "too_large"
)

// SayFailure says what happened and what to do (I10).
func SayFailure(r Reason) string {
	switch r {
	case ReasonModelUnavailable:
		return "The personas' model does not answer at the moment. Nothing is lost: press Try again, or write on, when you like."
	case ReasonModelRefused:
		return "The personas' model declined to answer this. Rephrase it, or press Try again."
	case ReasonModelConfig:
		return "The personas' model is not set up correctly; whoever runs Roundtable has the details in the log. Press Try again once it is mended."
	case ReasonOverBudget:
		return "The budget for the personas' model is used up. The discussion can go on when it is renewed: press Try again then, or Wrap up now."
	case ReasonArtifactRefused:
		return "The documents could not be updated; nothing in them was changed. Whoever runs Roundtable has the details in the log. Press Try again once it is mended."
	case ReasonTooLarge:
		return "What came of this is too long to be kept, so none of it was. Press Try again; if that does not help, whoever runs Roundtable has the details in the log."
	case ReasonMessageRefused:
		return "A message could not be shown here: Slack refused it. It is in the transcript."
	case ReasonUndrawn:
		return "A message could not be shown here: I could not draw it. It is in the transcript."
	case ReasonArchived, ReasonNotInChannel, ReasonNoPermission, ReasonThreadGone:
		return "Messages cannot be posted here at the moment. Write in this thread again once they can."
	}
	return "Something went wrong; whoever runs Roundtable has the details in the log. Press Try again."
}

// SayRefused tells the person who asked for a discussion or an analysis why it could
// not be opened.
func SayRefused(what string, r Reason) string {
	switch r {
	case ReasonNotInChannel:
		return "I am not in this channel. Type /invite @Roundtable and try again."
	case ReasonArchived:
		return "This channel is archived, so no " + what + " can be opened in it."
	case ReasonNoPermission:
		return "I am not allowed to post in this channel. Ask somebody who manages it."
	default:
		return "The " + what + " could not be opened here."
	}
}
