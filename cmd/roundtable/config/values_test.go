package config

import (
	"testing"

	"github.com/roundtable-chat/app/bot"
)

// TestMayForget reads who may forget: by default only those who opened what is forgotten.
func TestMayForget(t *testing.T) {
	for value, want := range map[string]bot.ForgetRight{"opener": bot.ForgetOpener, "everybody": bot.ForgetEverybody, "nobody": bot.ForgetNobody} {
		var v forgetValue
		if err := v.Set(value); err != nil || bot.ForgetRight(v) != want || v.String() != value {
			t.Errorf("Set(%q) = %q, %v, printed as %q", value, v, err, v.String())
		}
	}
	var v forgetValue
	if err := v.Set("guests"); err == nil || v.String() != "opener" {
		t.Errorf("Set of a wrong word = %v, leaves %q", err, v.String())
	}
}
