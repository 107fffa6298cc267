// Package blocks draws messages in Slack's own form, Block Kit and fallback text, from
// Markdown that people and models wrote. Nothing that it draws notifies anybody beside whom
// the rules named, leads anywhere but where people pointed, or can be taken for something
// else (NFR-103, I12). What it does is bounded by the length of the text.
package blocks
