package panel

import (
	"context"
	"errors"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// failure is a model's failure as the engine knows failures: a stated stop with a
// way on (I10). Anything else is returned as it is.
func failure(err error, spent thread.Spend) error {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Kind == llm.Cancelled {
		return err
	}
	return &engine.PanelError{Reason: reason(e.Kind), After: e.After, Spent: spent, Budget: e.Budget, Err: e}
}

// reason says what a kind of failure means to people.
func reason(k llm.Kind) thread.Reason {
	switch k {
	case llm.Auth, llm.Config, llm.Unknown:
		return thread.ReasonModelConfig
	case llm.Refused:
		return thread.ReasonModelRefused
	case llm.OverBudget:
		return thread.ReasonOverBudget
	case llm.RateLimited, llm.Overloaded, llm.Transient, llm.Truncated, llm.Malformed, llm.Cancelled:
	}
	return thread.ReasonModelUnavailable
}

// fallsBack reports whether a failure is one in which another engine may stand
// in: not one that the operator has to mend, nor a budget's, nor our own.
func fallsBack(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Kind.Elsewhere()
}

// Standby is who speaks where no model does: in discussions, and in analyses.
type Standby struct {
	Panel    engine.Panel
	Inquirer engine.Inquirer
	// Engine is the name shown with what it says.
	Engine string
}

// standIn has the standby answer a round of which nothing was heard.
func (p *Panel) standIn(ctx context.Context, r engine.RoundRequest, emit func(roundtable.Contribution) error, spent thread.Spend) (roundtable.Ending, error) {
	p.counts.stoodIn(roundName)
	ending, err := p.standby.Panel.Discuss(ctx, r, func(c roundtable.Contribution) error {
		c.Engine = p.standby.Engine
		return emit(c)
	})
	ending.Spent = spent
	return ending, err
}
