package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// runCheck reads a directory of manifests as serve would and names every problem
// with its file and line (AC-012-01). A step that would be lost is a failure here,
// though it would keep nothing from starting; warnings are shown and no more.
func runCheck(_ context.Context, s streams, args []string) error {
	c, rest, err := configure(s, "check", args, config.Variant{})
	if err != nil {
		return err
	}
	dir := c.Manifests
	if len(rest) > 0 {
		dir = rest[0]
		if err := exactly(rest, 1); err != nil {
			return err
		}
	}
	set, err := loadManifests(dir)
	if err != nil {
		return err
	}
	var faults []error
	for _, r := range set.Steps.Remarks {
		if r.Fault {
			faults = append(faults, errors.New(r.String()))
		} else {
			fmt.Fprintf(s.err, "roundtable check: %s\n", r)
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	printManifests(s.out, set)
	return nil
}

// printManifests lists what was read: personas, phases and their steps.
func printManifests(w io.Writer, set manifests.Set) {
	for _, p := range set.Roster.Personas {
		fmt.Fprintf(w, "%-22s %s\n", p.Key, p.Identity())
	}
	for _, p := range set.Steps.Catalogue.Phases {
		fmt.Fprintf(w, "%-22s led by %s\n", p.Key, leadName(set.Roster, p.Lead))
		for _, f := range p.Steps {
			fmt.Fprintf(w, "  %-6s %-8s %s → %s\n", f.ID, f.Depth, f.Title, strings.Join(f.Outputs, ", "))
		}
	}
}

func leadName(r persona.Roster, k persona.Key) string {
	p, ok := r.Persona(k)
	if !ok {
		return string(k)
	}
	return p.Name
}
