package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/roundtable/intent"
)

// runRoute answers JSON lines of messages with what each asks of a discussion
// among the configured personas.
func runRoute(_ context.Context, s streams, args []string) error {
	c, rest, err := configure(s, "route", args, config.Variant{})
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return config.Usagef("unexpected argument %q; route reads messages from standard input", rest[0])
	}
	roster, err := loadRoster(c.Manifests)
	if err != nil {
		return err
	}
	return route(s.in, s.out, intent.Participants{Cast: roster.Seats()})
}

// routeQuestion is a line that `roundtable route` reads.
type routeQuestion struct {
	Text *string `json:"text"`
	// BotUser is the user id whose mention means the app, if not the table's.
	BotUser string `json:"bot_user"`
}

// routeAnswer is a line that `roundtable route` prints.
type routeAnswer struct {
	Text   string      `json:"text"`
	Intent intent.Kind `json:"intent"`
	// Personas are lower-case first names, in the order named; never null.
	Personas []string `json:"personas"`
	// Rule is the name of the rule that decided.
	Rule string `json:"rule"`
}

// route reads messages as JSON lines and prints what each asks of a discussion
// at the table, and why (FR-003). Every answer leaves in one write, so that
// whoever feeds it line by line gets line by line. A line that cannot be read is
// passed over and named by its number in the error; blank lines are ignored.
func route(in io.Reader, out io.Writer, t intent.Participants) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	answers := json.NewEncoder(out)
	answers.SetEscapeHTML(false)
	var faults []error
	for n := 1; ; n++ {
		line, readErr := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			answer, err := routeLine(line, t)
			if err != nil {
				faults = append(faults, fmt.Errorf("line %d: %w", n, err))
			} else if err := answers.Encode(answer); err != nil {
				return fmt.Errorf("print the answer to line %d: %w", n, err)
			}
		}
		if errors.Is(readErr, io.EOF) {
			return errors.Join(faults...)
		}
		if readErr != nil {
			return errors.Join(append(faults, fmt.Errorf("read line %d: %w", n, readErr))...)
		}
	}
}

// routeLine answers one line.
func routeLine(line []byte, t intent.Participants) (routeAnswer, error) {
	var q routeQuestion
	if err := json.Unmarshal(line, &q); err != nil {
		return routeAnswer{}, fmt.Errorf("not a JSON object with \"text\": %w", err)
	}
	if q.Text == nil {
		return routeAnswer{}, errors.New("the object has no \"text\"")
	}
	if q.BotUser != "" {
		t.BotUser = q.BotUser
	}
	u := intent.Understand(*q.Text, t)
	answer := routeAnswer{Text: *q.Text, Intent: u.Intent, Personas: []string{}, Rule: u.Rule}
	for _, key := range u.Personas {
		for _, seat := range t.Cast {
			if seat.Key == key {
				answer.Personas = append(answer.Personas, strings.ToLower(seat.First()))
			}
		}
	}
	return answer, nil
}
