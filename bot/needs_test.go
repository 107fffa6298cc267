package bot

import (
	"maps"
	"slices"
	"testing"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestEveryButtonNeedsSomething shows that no button can be drawn of which the rules do not
// know whom it is for (FR-108).
func TestEveryButtonNeedsSomething(t *testing.T) {
	ruled := slices.Sorted(maps.Keys(roundtable.ButtonNeeds()))
	if drawn := slices.Sorted(maps.Keys(buttons)); !slices.Equal(drawn, ruled) {
		t.Errorf("a discussion has the buttons %v and rules for %v", drawn, ruled)
	}
	ruled = slices.Sorted(maps.Keys(analysis.ButtonNeeds()))
	if drawn := slices.Sorted(slices.Values(analysis.Buttons())); !slices.Equal(drawn, ruled) {
		t.Errorf("an analysis has the buttons %v and rules for %v", drawn, ruled)
	}
	for kind, need := range roundtable.ButtonNeeds() {
		if _, needed := need.Right(thread.RightEverybody, thread.RightEverybody); !needed && kind != roundtable.ButtonCatchUp {
			t.Errorf("%s needs nothing", kind)
		}
	}
}
