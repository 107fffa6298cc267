// Package offline speaks for the personas by rule, without a model, a key or a
// network: for the demo, for tests, and for people who want to see the protocol
// before they pay for a model.
//
// A message is read (plain text, noun phrases, what kind of act it is, options
// and figures in it), each persona that is called bids for the floor or stays
// silent, and whoever speaks fills a frame: a sentence shape from the persona's
// voice file under voices/, keyed to the persona and to what is answered. Frames
// are data. A persona without a voice file speaks through general frames and its
// own lens. A synthesis is extracted from what was said, never made up.
//
// The same request always gives the same bytes. Nothing is remembered between
// requests: which frames are spent, who said what and what was asked is read from
// the transcript.
//
// It understands English only, it knows nothing about any subject, and it says
// so: see [Panel.Notice]. It never invents figures, dates or names, never
// speaks for people or colleagues, and never decides.
package offline
