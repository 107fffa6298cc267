package evaluation

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// Of a persona without lines of known origin the classifier says nothing, and its
// figures for the others do not suffer.
func TestNobodyIsAttributedWithoutGold(t *testing.T) {
	gold := map[string][]string{"a": {"Who waits for this, and why?"}, "b": {"It depends on the lock."}}
	said := []Utterance{{Persona: "a", Text: "Who waits, and why?"}, {Persona: "b", Text: "It depends."}, {Persona: "c", Text: "Fine."}}
	got := mechanical(gold, said, newMask([]persona.Persona{{}}))
	if got.All != (Share{Count: 2, Of: 2}) || got.Personas["c"] != nil {
		t.Errorf("got %+v", got)
	}
	if figure := of(got, "c").String(); figure != "none" {
		t.Errorf("the figure is %q, want none", figure)
	}
}
