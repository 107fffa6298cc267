package slacksim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// act is what a person does on the page. One type for all of them: each endpoint
// reads the fields API.md names for it.
type act struct {
	As         string   `json:"as"`
	Channel    string   `json:"channel"`
	ThreadTS   string   `json:"thread_ts"`
	TS         string   `json:"ts"`
	Text       string   `json:"text"`
	Broadcast  bool     `json:"broadcast"`
	Files      []string `json:"files"`
	Command    string   `json:"command"`
	MessageTS  string   `json:"message_ts"`
	ViewID     string   `json:"view_id"`
	BlockID    string   `json:"block_id"`
	ActionID   string   `json:"action_id"`
	Values     object   `json:"values"`
	Name       string   `json:"name"`
	Remove     bool     `json:"remove"`
	Clear      bool     `json:"clear"`
	CallbackID string   `json:"callback_id"`
	Tab        string   `json:"tab"`
	User       string   `json:"user"`
	Unarchive  bool     `json:"unarchive"`
	Reason     string   `json:"reason"`
	TZ         *string  `json:"tz"`
	TZLabel    *string  `json:"tz_label"`
	TZOffset   *int     `json:"tz_offset"`
	RealName   *string  `json:"real_name"`
	DND        *DND     `json:"dnd"`
	FaultRules []Fault  `json:"faults"`
	Replace    bool     `json:"replace"`

	choice object // what was chosen in a menu, as Slack's action objects say it
}

// choiceKeys are the keys of an action object that say what was chosen.
var choiceKeys = []string{
	"value", "selected_option", "selected_options", "selected_user", "selected_users", "selected_conversation", "selected_conversations",
	"selected_channel", "selected_channels", "selected_date", "selected_time", "selected_date_time",
}

// pageError is a refusal with a sentence for the person.
type pageError struct {
	status   int
	code     string
	sentence string
}

func (e *pageError) Error() string { return e.code }

func decline(status int, code, sentence string, args ...any) error {
	return &pageError{status: status, code: code, sentence: fmt.Sprintf(sentence, args...)}
}

// pageMux routes the endpoints of API.md, closed to other origins.
func (w *Workspace) pageMux() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sim/state", w.serveState)
	mux.HandleFunc("GET /sim/events", w.serveEvents)
	mux.HandleFunc("GET /sim/transcript", w.serveTranscript)
	mux.HandleFunc("GET /sim/faults", func(rw http.ResponseWriter, _ *http.Request) {
		writeJSON(rw, http.StatusOK, object{"ok": true, "faults": w.Armed()})
	})
	mux.HandleFunc("GET /sim/calls", func(rw http.ResponseWriter, _ *http.Request) {
		writeJSON(rw, http.StatusOK, object{"ok": true, "calls": w.Calls(), "warnings": w.Warnings()})
	})
	mux.HandleFunc("POST /sim/upload", w.serveSimUpload)
	for name, do := range map[string]func(*Workspace, *Person, *act) (object, error){
		"say": (*Workspace).say, "command": (*Workspace).command, "act": (*Workspace).press, "react": (*Workspace).give,
		"edit": (*Workspace).edit, "delete": (*Workspace).unsay, "submit": (*Workspace).submit, "close_view": (*Workspace).closeView,
		"shortcut": (*Workspace).useShortcut, "home": (*Workspace).openHome, "join": (*Workspace).joinChannel, "leave": (*Workspace).leaveChannel,
		"archive": (*Workspace).archive, "dismiss": (*Workspace).dismissEphemeral, "person": (*Workspace).editPerson,
	} {
		mux.HandleFunc("POST /sim/"+name, w.personal(do))
	}
	mux.HandleFunc("POST /sim/faults", w.control(func(a *act) error {
		if a.Replace {
			w.Disarm()
		}
		w.Arm(a.FaultRules...)
		return nil
	}))
	mux.HandleFunc("POST /sim/disconnect", w.control(func(a *act) error {
		w.Disconnect(a.Reason)
		return nil
	}))
	mux.HandleFunc("POST /sim/unfurl", w.control(func(a *act) error {
		if !w.Unfurl(a.Channel, a.TS) {
			return decline(http.StatusNotFound, "message_not_found", "There is no such message.")
		}
		return nil
	}))
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !local(r) {
			writeJSON(rw, http.StatusForbidden, object{"ok": false, "error": "forbidden", "message": "This workspace only serves its own page on this machine."})
			return
		}
		w.learnOrigin(r)
		mux.ServeHTTP(rw, r)
	})
}

// local keeps pages from elsewhere out: the host must be a loopback one (so that
// a name that was re-pointed here does not pass), the origin the same.
func local(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(r.Host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		site := r.Header.Get("Sec-Fetch-Site")
		return site == "" || site == "same-origin" || site == "none"
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// readAct decodes a request body.
func readAct(rw http.ResponseWriter, r *http.Request) (*act, error) {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		return nil, decline(http.StatusUnsupportedMediaType, "not_json", "The request must be JSON.")
	}
	raw, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, 1<<20))
	if err != nil {
		return nil, decline(http.StatusRequestEntityTooLarge, "too_large", "That is too long.")
	}
	var a act
	var all object
	if json.Unmarshal(raw, &a) != nil || json.Unmarshal(raw, &all) != nil {
		return nil, decline(http.StatusBadRequest, "bad_json", "The request is not readable.")
	}
	a.choice = object{}
	for _, key := range choiceKeys {
		if v, ok := all[key]; ok {
			a.choice[key] = v
		}
	}
	return &a, nil
}

// personal wraps what a person does: it finds the person and answers in JSON.
func (w *Workspace) personal(do func(*Workspace, *Person, *act) (object, error)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		a, err := readAct(rw, r)
		var out object
		if err == nil {
			w.mu.Lock()
			p := w.person(a.As)
			w.mu.Unlock()
			if p == nil || p.IsBot {
				err = decline(http.StatusNotFound, "unknown_person", "There is no such person.")
			} else {
				out, err = do(w, p, a)
			}
		}
		w.saveBeforeAnswer()
		answerPage(rw, out, err)
	}
}

// control wraps the endpoints that no person uses.
func (w *Workspace) control(do func(*act) error) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		a, err := readAct(rw, r)
		if err == nil {
			err = do(a)
		}
		w.saveBeforeAnswer()
		answerPage(rw, nil, err)
	}
}

func answerPage(rw http.ResponseWriter, out object, err error) {
	if err != nil {
		status, code, sentence := http.StatusBadRequest, err.Error(), "That did not work: "+err.Error()+"."
		var declined *pageError
		if errors.As(err, &declined) {
			status, code, sentence = declined.status, declined.code, declined.sentence
		}
		writeJSON(rw, status, object{"ok": false, "error": code, "message": sentence})
		return
	}
	if out == nil {
		out = object{}
	}
	out["ok"] = true
	writeJSON(rw, http.StatusOK, out)
}

func writeJSON(rw http.ResponseWriter, status int, o object) {
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.Header().Set("Cache-Control", "no-store")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(o)
}

// serveEvents streams what happens to one person's page.
func (w *Workspace) serveEvents(rw http.ResponseWriter, r *http.Request) {
	flush := http.NewResponseController(rw)
	rw.Header().Set("Content-Type", "text/event-stream")
	rw.Header().Set("Cache-Control", "no-store")
	version := r.Header.Get("Last-Event-ID")
	if version == "" {
		version = r.URL.Query().Get("after")
	}
	user := r.URL.Query().Get("as")
	at, ok := w.feed.position(version)
	if version == "" {
		at, ok = w.feed.position(w.feed.version())
	}
	if _, _, known := w.feed.after(at); !ok || !known {
		fmt.Fprintf(rw, "event: reset\ndata: {\"version\":%q}\n\n", w.feed.version())
		_ = flush.Flush()
		return
	}
	fmt.Fprintf(rw, "retry: 1000\nevent: hello\ndata: {\"version\":%q}\n\n", w.feed.name(at))
	ping := time.NewTicker(15 * time.Second)
	defer ping.Stop()
	for {
		events, more, known := w.feed.after(at)
		if !known {
			fmt.Fprintf(rw, "event: reset\ndata: {\"version\":%q}\n\n", w.feed.version())
			_ = flush.Flush()
			return
		}
		for _, e := range events {
			at = e.seq
			if w.mayHear(e.to, user) {
				fmt.Fprintf(rw, "id: %s\nevent: %s\ndata: %s\n\n", w.feed.name(e.seq), e.name, e.data)
			}
		}
		if flush.Flush() != nil {
			return
		}
		select {
		case <-more:
		case <-ping.C:
			fmt.Fprint(rw, ": ping\n\n")
		case <-w.feed.ended:
			return
		case <-r.Context().Done():
			return
		}
	}
}
