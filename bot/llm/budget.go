package llm

import (
	"context"
	"errors"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// Ledger keeps account of what models use, for all replicas at once (FR-109).
// Implementations are safe for concurrent use.
type Ledger interface {
	// Reserve sets a charge's hold aside in all its budgets. If one of them has
	// less left than that, nothing is set aside and that budget is returned.
	// Repeated under the same id, it changes nothing.
	Reserve(ctx context.Context, c thread.Charge) (*thread.Budget, error)
	// Settle puts what was used in the place of what was set aside, and returns
	// the budgets as they stand then. Repeated, or after the hold was counted as
	// spent, it changes nothing.
	Settle(ctx context.Context, c thread.Charge, used thread.Spend) ([]thread.Budget, error)
	// Budgets returns the charge's budgets as they stand.
	Budgets(ctx context.Context, c thread.Charge) ([]thread.Budget, error)
}

// errLedger marks failures of the ledger: another attempt at a model would meet
// the same one.
var errLedger = errors.New("the budgets cannot be read")

// Characters per token: what is assumed of a model, and the bounds of what is
// learnt of it.
const (
	usualScale = 3.3
	leastScale = 0.5
	mostScale  = 12
	// learning is the weight of the newest answer.
	learning = 0.2
)

// scales learns how many characters a token of each model holds. They are an
// estimate for holds and for answers that were cut; what providers count is what
// is charged.
type scales struct {
	mu  sync.Mutex
	per map[string]float64
}

// tokens estimates how many tokens so many characters are.
func (s *scales) tokens(model string, characters int) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	per, ok := s.per[model]
	if !ok {
		per = usualScale
	}
	return int64(math.Ceil(float64(characters) / per))
}

// learn takes in what a provider counted.
func (s *scales) learn(model string, characters int, tokens int64) {
	if characters == 0 || tokens <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	per, ok := s.per[model]
	if !ok {
		per = usualScale
	}
	if s.per == nil {
		s.per = map[string]float64{}
	}
	seen := min(max(float64(characters)/float64(tokens), leastScale), mostScale)
	s.per[model] = (1-learning)*per + learning*seen
}

// length is how many characters a request has.
func length(r Request) int {
	n := utf8.RuneCount(r.Schema)
	for _, b := range r.System {
		n += utf8.RuneCountInString(b.Text)
	}
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			n += utf8.RuneCountInString(b.Text)
		}
	}
	return n
}
