package panel

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/roundtable-chat/app/bot/llm"
)

// whole takes in an answer that is one object and of no use before it is complete.
type whole struct {
	fits    func(raw []byte) bool
	engine  string
	text    strings.Builder
	scanner scanner
	// object is the outermost that fits, nil if there is none.
	object []byte
}

func newWhole(fits func(raw []byte) bool) *whole {
	w := &whole{fits: fits}
	w.Begin("")
	return w
}

// ask puts a question and hears the answer out.
func (w *whole) ask(ctx context.Context, a llm.Asker, q llm.Question) (llm.Result, error) {
	result, err := a.Ask(ctx, q, w)
	if errors.Is(err, errEndless) {
		err = &llm.Error{Kind: llm.Malformed, Model: result.Asked, RequestID: result.RequestID, Detail: "endless"}
	}
	return result, err
}

// Begin implements Sink.
func (w *whole) Begin(engine string) {
	w.engine, w.object = engine, nil
	w.text.Reset()
	w.scanner = scanner{found: func(raw []byte) (bool, error) {
		if !w.fits(raw) {
			return false, nil
		}
		w.object = append([]byte(nil), raw...)
		return true, nil
	}}
}

// Text implements Sink.
func (w *whole) Text(piece string) error {
	w.text.WriteString(piece)
	return w.scanner.feed(piece)
}

// Taken implements Sink.
func (w *whole) Taken() bool { return false }

// hasMember reports whether an object has a member of that name.
func hasMember(raw []byte, name string) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal(raw, &o) == nil && o[name] != nil
}
