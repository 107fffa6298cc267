package bot

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain holds every test to leave no goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
