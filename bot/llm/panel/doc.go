// Package panel gives the personas their words through language models. It asks one
// question a round for the whole cast, reads the answer while it is being streamed, and
// hands on each contribution when it is complete. In an analysis it asks for the lead's
// next words, and for what goes into the documents with the turns that each statement
// rests on. What a model may not decide (who may speak and who must, when a discussion or a step ends,
// what a document loses) is not asked of it: that is package roundtable's.
//
// There are five questions, a file each: [Panel.Frame], [Panel.Discuss] (round.go),
// [Panel.Synthesise], [Panel.Inquire] and [Panel.Compose]. A question is made of rules
// (prompts/, card.go), of what was said (transcript.go) and of the form of
// the answer (schema.go). A round's answer is read object by object (scan.go,
// listener.go) and put in order (order.go); the others are read whole (whole.go) and
// asked for once more if they are of no use (twice.go, mend.go). What a persona says
// passes guard.go, what goes into documents part.go and layout.go.
//
// Which model answers, how often it is tried and who pays is not seen here: that is the
// [llm.Asker]'s. Where none answers, failure.go says so, or a [Standby] speaks.
package panel
