package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable"
)

// runManifest prints the manifest with which the Slack app is created.
func runManifest(ctx context.Context, s streams, args []string) error {
	c, _, err := configure(s, "manifest", args, nil, nil)
	if err != nil {
		return err
	}
	var overrides fs.FS
	if c.Manifests != "" {
		overrides = os.DirFS(c.Manifests)
	}
	set, err := manifests.Load(overrides)
	if err != nil {
		return fmt.Errorf("read the manifests: %w", err)
	}
	_, err = s.out.Write(set.SlackApp)
	return err
}

// runCheck reads a directory of manifests as serve would and names every problem.
func runCheck(ctx context.Context, s streams, args []string) error {
	c, rest, err := configure(s, "check", args, nil, nil)
	if err != nil {
		return err
	}
	dir := c.Manifests
	switch len(rest) {
	case 0:
	case 1:
		dir = rest[0]
	default:
		return usagef("expected one directory, got %d", len(rest))
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
