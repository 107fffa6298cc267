package llm

import "context"

// Asker has questions answered. It owns everything between a question and an
// answer that does not depend on what is asked: which model is asked, in which
// order, how often, and who pays.
type Asker interface {
	// Ask hands the answer to sink as it arrives. Every attempt begins with
	// Sink.Begin; another attempt, by the same model or the next, is made only
	// while Sink.Taken is false. The result is that of the last attempt, with the
	// usage of all. The error is nil only if the answer is complete; it is an
	// *Error, or what the sink returned.
	Ask(ctx context.Context, q Question, sink Sink) (Result, error)
}

// Question is a request, who should answer it, and for whom.
type Question struct {
	Request Request
	// Discussion is charged for the answer: the id of a discussion or, with Analysis
	// set, of an analysis, which has a limit of its own.
	Discussion string
	Analysis   bool
	// Model, as "provider:model", is asked first if it is set: a persona's own.
	// Empty is the deployment's order.
	Model string
}

// Sink takes in an answer while it arrives. Its methods are called one at a time.
type Sink interface {
	// Begin starts an answer; what came before belongs to an attempt that failed
	// and is forgotten. engine names the model when it is not the one that should
	// have answered, and is empty otherwise.
	Begin(engine string)
	// Text takes the next piece; its error ends the answer.
	Text(piece string) error
	// Taken reports whether something of this answer was acted upon, so that no
	// other answer can take its place.
	Taken() bool
}

// Only asks one model, once: no order, no retries, no budget.
func Only(m Model) Asker { return only{m} }

type only struct{ model Model }

func (o only) Ask(ctx context.Context, q Question, sink Sink) (Result, error) {
	sink.Begin("")
	result, err := o.model.Stream(ctx, q.Request, sink.Text)
	result.Asked = o.model.Name()
	return result, err
}
