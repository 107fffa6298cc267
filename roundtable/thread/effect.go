package thread

// Post says something in the thread, or in the channel for the root.
type Post struct {
	Key     string  `json:"key"`
	Message Message `json:"message"`
}

// Tell says something to one person only, in the thread. It is a courtesy:
// it may be lost.
type Tell struct {
	Key  string `json:"key"`
	User string `json:"user"`
	Text string `json:"text"`
}

// Identify asks who a person is, of whom Slack did not say; Identified says so. Strictly
// asks what Slack says alone, whatever the policy grants to guests and others.
type Identify struct {
	Key      string `json:"key"`
	User     string `json:"user"`
	Strictly bool   `json:"strictly,omitempty"`
}
