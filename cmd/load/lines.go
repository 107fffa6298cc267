package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

var errUnanswered = errors.New("nobody answered")

// topics and questions are what people talk about. Every question names its one
// addressee, so that a hushed room answers with one post.
var (
	topics = []string{
		"offline mode for notes", "refunds for partial deliveries", "single sign-on for contractors",
		"exporting the audit log", "a waiting list for bookings",
	}
	questions = []string{
		"Alex, what breaks first when the network comes and goes?",
		"Maya, who needs this on the first day, and who can wait?",
		"Jordan, which part of the interface would you settle first?",
		"Alex, where would you keep the state that must survive?",
		"Maya, how would we notice that nobody uses it?",
		"Jordan, how do two components agree on the order of changes?",
		"Alex, what would you measure before you build any of it?",
		"Maya, what do people do today without it?",
		"Jordan, what happens to data that is half written?",
	}
	aside = "We tried something like that two years ago and nobody used it for long."
	toAll = "Everyone, what would you cut to ship it a month earlier?"
)

// line is the nth message of a discussion, and how many posts answer it.
func line(n, group int) (text string, answers int) {
	if group > 0 && n%group == group-1 {
		return toAll, 3
	}
	return questions[n%len(questions)], 1
}

// each calls f for 0 … n-1, so many a second whether or not the earlier ones are
// done, waits for all of them, and returns the first failure, which ends the rest.
func each(ctx context.Context, perSecond float64, n int, f func(context.Context, int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var working sync.WaitGroup
	begun := time.Now()
	for i := range n {
		due := time.Duration(float64(i) / perSecond * float64(time.Second))
		if pass(ctx, time.Until(begun.Add(due))) != nil {
			break
		}
		working.Go(func() {
			if err := f(ctx, i); err != nil {
				stop(err)
			}
		})
	}
	working.Wait()
	return context.Cause(ctx)
}
