package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/evaluation"
	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
)

// evalOptions are the flags of eval that are no settings.
type evalOptions struct {
	judge          string
	topics, rounds int
	out            string
}

func (o *evalOptions) flags(set *flag.FlagSet) {
	set.StringVar(&o.judge, "judge", "", "model of another vendor, provider:model, that also says which persona each contribution is from")
	set.IntVar(&o.topics, "topics", 0, "how many of the built-in topics to discuss; 0 for all")
	set.IntVar(&o.rounds, "rounds", 0, "how many messages to answer in each discussion; 0 for all")
	set.StringVar(&o.out, "out", "", "new folder for report.md, report.json and said.jsonl")
}

// runEval measures how well the configured model, or the built-in stand-in, speaks
// for the personas. It needs neither Slack nor Redis.
func runEval(ctx context.Context, s streams, args []string) error {
	var o evalOptions
	c, rest, err := configure(s, "eval", args, config.Variant{Flags: o.flags})
	if err != nil {
		return err
	}
	if err := exactly(rest, 0); err != nil {
		return err
	}
	options, err := newEvaluation(c, o, s.err)
	if err != nil {
		return err
	}
	if o.out != "" { // before anything is paid for
		if err := os.Mkdir(o.out, 0o755); err != nil {
			return fmt.Errorf("create the folder of the report: %w", err)
		}
	}
	report, err := evaluation.Run(ctx, options)
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := writeReport(o.out, report); err != nil {
			return err
		}
	}
	_, err = io.WriteString(s.out, report.Markdown())
	return err
}

// newEvaluation has the models made and refuses what would make figures worthless:
// a fallback among those who speak, or a judge of their vendor.
func newEvaluation(c config.Config, o evalOptions, log io.Writer) (evaluation.Options, error) {
	var e evaluation.Options
	switch {
	case o.topics < 0 || o.rounds < 0:
		return e, config.Usagef("--topics and --rounds must not be negative")
	case len(c.Models) != 1:
		return e, config.Usagef("--model: eval takes one model, and none to fall back on")
	}
	roster, err := loadRoster(c.Manifests)
	if err != nil {
		return e, err
	}
	made, err := newModels(c, roster)
	if err != nil {
		return e, err
	}
	speaks, err := newSpeakers(c, roster, made, newTab(), newLogger(c, log), nil)
	if err != nil {
		return e, err
	}
	e = evaluation.Options{Roster: roster, Panel: speaks.panel, Engine: c.Models[0], Topics: o.topics, Rounds: o.rounds, Length: c.Length}
	if e.Engine != offline.Engine {
		e.Now = time.Now
	}
	if o.judge == "" {
		return e, nil
	}
	vendors := []string{evaluation.Vendor(e.Engine)}
	for _, m := range made.own {
		vendors = append(vendors, evaluation.Vendor(m.Name()))
	}
	if slices.Contains(vendors, evaluation.Vendor(o.judge)) {
		return e, config.Usagef("--judge: %s comes from the same vendor as a model that speaks", o.judge)
	}
	judge, err := newModel(c, o.judge)
	if err != nil {
		return e, config.Usagef("--judge: %w", err)
	}
	// What the judge uses is in the report, not in the budgets of those who speak.
	e.Judge, err = llm.NewChain(llm.ChainOptions{Models: []llm.Model{judge}, Ledger: newTab(), CallLimit: c.ModelTimeout + time.Minute, Logger: newLogger(c, log)})
	e.JudgeName = o.judge
	return e, err
}

// writeReport writes the report for people and for programs, and what was said.
func writeReport(folder string, r *evaluation.Report) error {
	figures, err := r.JSON()
	if err != nil {
		return err
	}
	for name, body := range map[string][]byte{"report.md": []byte(r.Markdown()), "report.json": figures} {
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o644); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	f, err := os.Create(filepath.Join(folder, "said.jsonl"))
	if err != nil {
		return fmt.Errorf("write what was said: %w", err)
	}
	if err := r.WriteSaid(f); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write what was said: %w", err)
	}
	return nil
}
