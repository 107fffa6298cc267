// Package llm has questions answered by language models. A [Request] goes to a [Model],
// which answers in a stream; a [Chain] asks models in their fallback order, again where
// a failure may pass, within the budgets that a [Ledger] keeps. What went wrong is an
// [Error] of a [Kind], which says what may be done about it, and holds no word of what
// was asked or answered.
//
// A provider is a Model; packages anthropic and openai have one each, over package wire.
// What is asked is not this package's: the personas' questions are package panel's.
// Nothing here knows a provider, a model's name or a price: they are configuration.
package llm
