package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// How discussions are opened for an experiment, and how long a bot is left to finish
// what it was asked.
const (
	opened   = 100.0 // a second, each of which is five posts
	talked   = 50.0  // a second, each of which is talked in
	answered = 3     // human turns, which with a remark make a ten-turn discussion of an opening
	tenTurns = 3 + 2*answered + 1
	rest     = 10 * time.Second
	// stillness is how long idle discussions are left alone. Go's runtime collects the
	// garbage of a process that does nothing every two minutes, and what is pooled outlives
	// the first time.
	stillness = 5 * time.Minute
)

// bench measures roundtable against the budgets of its design.
func bench(ctx context.Context, s settings, progress io.Writer) (string, error) {
	var r benchReport
	r.settings = s
	fmt.Fprintf(progress, "%d discussions, no gathering window\n", s.load.discussions)
	if err := r.busy(ctx, s); err != nil {
		return "", err
	}
	fmt.Fprintf(progress, "%d discussions, gathering for 3 s\n", s.load.discussions)
	if err := r.gathering(ctx, s); err != nil {
		return "", err
	}
	for _, n := range s.idle {
		fmt.Fprintf(progress, "%d idle discussions\n", n)
		kept, err := idle(ctx, s, n)
		if err != nil {
			return "", err
		}
		r.idle = append(r.idle, kept)
	}
	return r.markdown(), nil
}

// busy measures openings, the load that the machine bears, and half of it.
func (r *benchReport) busy(ctx context.Context, s settings) error {
	stage, err := openStage(ctx, roundtable(s.binary, 0), s.load, s.fsync)
	if err != nil {
		return err
	}
	defer stage.close()
	if r.openings, err = stage.openAll(ctx, opened, stage.crowd.hushed); err != nil {
		return err
	}
	if r.full, err = stage.measure(ctx, s.load); err != nil {
		return err
	}
	// What is still unanswered must not be taken for answers to what is asked next.
	if err := pass(ctx, rest); err != nil {
		return err
	}
	half := s.load
	half.rate = max(1, r.full.rate()/2)
	r.half, err = stage.measure(ctx, half)
	return err
}

// gathering measures half the load with the gathering window that is the default.
func (r *benchReport) gathering(ctx context.Context, s settings) error {
	stage, err := openStage(ctx, roundtable(s.binary, 3*time.Second), s.load, s.fsync)
	if err != nil {
		return err
	}
	defer stage.close()
	if _, err = stage.openAll(ctx, opened, stage.crowd.hushed); err != nil {
		return err
	}
	half := s.load
	half.rate = max(1, r.full.rate()/2)
	r.gathered, err = stage.measure(ctx, half)
	return err
}

// keeping is what idle discussions keep.
type keeping struct {
	discussions int
	opened      time.Duration // all of them
	redis       int64         // bytes that the keys take
	bot         int64         // bytes more than before
	memory      memory        // of the bot, in all
}

// idle opens discussions and talks ten turns in each, leaves them alone, and reads what
// they keep.
func idle(ctx context.Context, s settings, n int) (k keeping, err error) {
	l := load{discussions: n, people: s.load.people}
	stage, err := openStage(ctx, roundtable(s.binary, 0), l, s.fsync)
	if err != nil {
		return k, err
	}
	defer stage.close()
	begun := time.Now()
	bare, err := memoryOf(stage.bot.cmd.Process.Pid)
	if err != nil {
		return k, err
	}
	_, err = stage.openAll(ctx, talked, func(ctx context.Context, t *conversation) error {
		if err := stage.crowd.hushed(ctx, t); err != nil {
			return err
		}
		for range answered {
			stage.crowd.speak(ctx, t, 0)
			if err := pass(ctx, time.Second); err != nil {
				return err
			}
		}
		return stage.crowd.remark(t)
	})
	if err != nil {
		return k, err
	}
	k = keeping{discussions: n, opened: time.Since(begun)}
	if err := pass(ctx, stillness); err != nil {
		return k, err
	}
	if k.redis, err = stage.redis.kept(ctx); err != nil {
		return k, err
	}
	if k.memory, err = memoryOf(stage.bot.cmd.Process.Pid); err != nil {
		return k, err
	}
	k.bot = k.memory.now - bare.now
	return k, nil
}
