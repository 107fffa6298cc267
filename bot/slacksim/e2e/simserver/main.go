// Command simserver runs the local workspace by itself, for the JavaScript
// clients and the browser that test it. It prints one JSON line with its address
// and tokens, and stops with its standard input or on an interrupt.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "simserver:", err)
		os.Exit(1)
	}
}

func run() error {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on")
	state := flag.String("state", "", "file that keeps the workspace")
	ack := flag.Duration("ack-wait", 0, "time for an acknowledgement (0: Slack's 3 s)")
	retry := flag.Duration("retry-gap", 0, "gap before the second and third retry (0: Slack's 1 and 5 min)")
	flag.Parse()

	timing := slacksim.Timing{AckWait: *ack}
	if *retry > 0 {
		timing.Retry = []time.Duration{0, *retry, *retry}
	}
	w, err := slacksim.New(slacksim.Options{StateFile: *state, Timing: timing, BotToken: "xoxb-test", AppToken: "xapp-test"})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", *listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	go func() {
		// A parent that dies closes our standard input.
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{
		"url": "http://" + ln.Addr().String(), "bot_token": "xoxb-test", "app_token": "xapp-test",
	}); err != nil {
		return fmt.Errorf("announce address: %w", err)
	}
	return w.Run(ctx, ln)
}
