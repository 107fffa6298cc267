package slacksim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
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
	// ClientID is the client_msg_id of a client that chooses it; a page's is made for it.
	ClientID string `json:"client_msg_id"`

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

// pageMux routes the endpoints of API.md.
func (w *Workspace) pageMux() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sim/state", w.serveState)
	mux.HandleFunc("GET /sim/events", func(rw http.ResponseWriter, r *http.Request) { w.feed.Serve(rw, r, w.mayHear) })
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
		w.learnOrigin(r)
		mux.ServeHTTP(rw, r)
	})
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
