package main

import (
	"context"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
)

// runManifest prints the manifest with which the Slack app is created.
func runManifest(_ context.Context, s streams, args []string) error {
	c, rest, err := configure(s, "manifest", args, config.Variant{})
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
