package slacksim

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// bodyLimit bounds a Web API request.
const bodyLimit = 2 << 20

// call is one Web API request after decoding. Every argument is text: what came
// as a JSON number, boolean, object or array is kept as its JSON.
type call struct {
	method string
	token  string
	args   map[string]string
	lag    int64 // microseconds by which this reader trails the posts
}

// apiError is a refusal in Slack's words.
type apiError struct {
	Code     string
	Messages []string // response_metadata.messages
	Needed   string   // missing_scope
	Provided string
}

func (e *apiError) Error() string { return e.Code }

func refuse(code string, messages ...string) error {
	return &apiError{Code: code, Messages: messages}
}

// decodeCall reads a request in any of the three encodings Slack takes, with the
// token in the header or among the arguments.
func decodeCall(r *http.Request) (*call, error) {
	c := &call{method: r.PathValue("method"), args: map[string]string{}}
	for k, v := range r.URL.Query() {
		c.args[k] = v[0]
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && r.Header.Get("Content-Type") != "" {
		return c, refuse("invalid_post_type")
	}
	if charset := strings.ToLower(params["charset"]); charset != "" && charset != "utf-8" && charset != "iso-8859-1" {
		return c, refuse("invalid_charset")
	}
	switch kind {
	case "application/json":
		err = c.readJSON(r.Body)
	case "multipart/form-data":
		if err = r.ParseMultipartForm(bodyLimit); err != nil {
			err = refuse("invalid_form_data")
			break
		}
		for k, v := range r.MultipartForm.Value {
			c.args[k] = v[0]
		}
	case "application/x-www-form-urlencoded", "":
		if err = r.ParseForm(); err != nil {
			err = refuse("invalid_form_data")
			break
		}
		for k, v := range r.PostForm {
			c.args[k] = v[0]
		}
	default:
		err = refuse("invalid_post_type")
	}
	c.token = c.args["token"]
	delete(c.args, "token")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		c.token = bearer
	}
	return c, err
}

func (c *call) readJSON(body io.Reader) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return refuse("request_timeout")
	}
	if len(raw) == 0 {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return refuse("invalid_arguments", "[ERROR] the body is not a JSON object")
	}
	for k, v := range fields {
		var text string
		switch {
		case string(v) == "null":
			continue
		case json.Unmarshal(v, &text) == nil:
			c.args[k] = text
		default:
			c.args[k] = string(v)
		}
	}
	return nil
}

// flag reads a boolean argument as loosely as Slack does.
func (c *call) flag(name string) bool {
	v := strings.ToLower(c.args[name])
	return v == "true" || v == "1"
}

// number reads an integer argument; absent gives fallback.
func (c *call) number(name string, fallback int) int {
	n, err := strconv.Atoi(c.args[name])
	if err != nil {
		return fallback
	}
	return n
}

// list reads ids given with commas or as a JSON array.
func (c *call) list(name string) []string {
	v := c.args[name]
	var out []string
	if strings.HasPrefix(v, "[") && json.Unmarshal([]byte(v), &out) == nil {
		return out
	}
	for part := range strings.SplitSeq(v, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// decode reads a JSON argument into target; absent leaves it alone.
func (c *call) decode(name string, target any) error {
	if c.args[name] == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(c.args[name]), target); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
