// TEMPORARY, uncommitted: lets the package compile until understand.go has Understand, Table and Domains.
// Whoever lands those deletes this file.
package roundtable

import "strings"

type Table struct {
	Cast    []Seat
	BotUser string
}

func Understand(text string, t Table) Understanding {
	l := strings.ToLower(strings.TrimSpace(text))
	switch {
	case l == "":
		return Understanding{Intent: IntentEmpty}
	case l == "done":
		return Understanding{Intent: IntentExit}
	case strings.Contains(l, "are we done"):
		return Understanding{Intent: IntentConfirm}
	}
	for _, s := range t.Cast {
		if strings.HasPrefix(l, strings.ToLower(s.First())+",") {
			return Understanding{Intent: IntentDirect, Personas: []PersonaKey{s.Key}}
		}
	}
	return Understanding{Intent: IntentDefault}
}

func Domains(text string, cast []Seat) []PersonaKey { return nil }
