package main

import (
	"context"
	"fmt"

	"github.com/roundtable-chat/app/roundtable"
)

// runManifest prints the manifest with which the Slack app is created.
func runManifest(_ context.Context, s streams, args []string) error {
	c, rest, err := configure(s, "manifest", args, variant{})
	if err != nil {
		return err
	}
	if err := exactly(rest, 0); err != nil {
		return err
	}
	set, err := loadManifests(c.Manifests)
	if err != nil {
		return err
	}
	_, err = s.out.Write(set.SlackApp)
	return err
}

// runCheck reads a directory of manifests as serve would and names every problem.
func runCheck(_ context.Context, s streams, args []string) error {
	c, rest, err := configure(s, "check", args, variant{})
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
	roster, err := loadRoster(dir)
	if err != nil {
		return err
	}
	for _, p := range roster.Personas {
		fmt.Fprintf(s.out, "%-22s %s\n", p.Key, p.Identity())
	}
	for _, p := range roster.Phases {
		fmt.Fprintf(s.out, "%-22s led by %s\n", p.Key, leadName(roster, p.Lead))
	}
	return nil
}

func leadName(r roundtable.Roster, k roundtable.PersonaKey) string {
	p, ok := r.Persona(k)
	if !ok {
		return string(k)
	}
	return p.Name
}
