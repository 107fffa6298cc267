// Package llm gives the personas their words through language models. It asks one
// question a round for the whole cast, reads the answer while it is being
// streamed, and hands on each contribution when it is complete. In an analysis it
// asks for the lead's next words, and for what goes into the documents with the
// turns that each statement rests on. What a model may not decide (who speaks, when
// a discussion or a step ends, what a document loses) is not asked of it: that is
// package roundtable's.
//
// A provider is a Model; packages anthropic and openai have one each. Nothing here
// knows a provider, a model's name or a price: they are configuration.
package llm
