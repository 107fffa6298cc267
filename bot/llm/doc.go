// Package llm gives the personas their words through language models. It asks one
// question a round for the whole cast, reads the answer while it is being
// streamed, and hands on each contribution when it is complete. What a model may
// not decide (who speaks, when a discussion ends, what a document loses) is not
// asked of it: that is package roundtable's.
//
// A provider is a Model; packages anthropic and openai have one each. Nothing here
// knows a provider, a model's name or a price: they are configuration.
package llm
