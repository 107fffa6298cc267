package main

import (
	"context"
	"fmt"
	"io"
)

// peers measures roundtable and its peer in pairs: the same workspace, Redis and
// load, one after the other, and every other pair the other way round, so that a
// machine that grows warm or busy favours neither.
func peers(ctx context.Context, s settings, progress io.Writer) (string, error) {
	other, err := bolt(s.peer)
	if err != nil {
		return "", err
	}
	r := peersReport{settings: s}
	for i := range s.pairs {
		order := []contender{roundtable(s.binary, 0), other}
		if i%2 == 1 {
			order[0], order[1] = order[1], order[0]
		}
		pair := map[string]figures{}
		for _, c := range order {
			f, err := perform(ctx, c, s)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(progress, "pair %d, %s: %.0f turns/s, %.2f ms CPU per turn, %d unanswered, %d stray\n",
				i+1, c.name, f.rate(), millis(f.perTurn(f.bot)), f.tally.unanswered, f.tally.strays)
			pair[c.name] = f
		}
		r.ours, r.theirs = append(r.ours, pair["roundtable"]), append(r.theirs, pair[other.name])
	}
	return r.markdown(), nil
}

// perform is one contender's run, from an empty Redis and workspace.
func perform(ctx context.Context, c contender, s settings) (figures, error) {
	stage, err := openStage(ctx, c, s.load, s.fsync)
	if err != nil {
		return figures{}, err
	}
	defer stage.close()
	opened, err := stage.openAll(ctx, opened, stage.crowd.hushed)
	if err != nil {
		return figures{}, fmt.Errorf("%s: %w", c.name, err)
	}
	f, err := stage.measure(ctx, s.load)
	if err != nil {
		return figures{}, err
	}
	f.openings = opened
	if f.memory, err = memoryOf(stage.bot.cmd.Process.Pid); err != nil {
		return figures{}, err
	}
	return f, nil
}
