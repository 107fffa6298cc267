// Package say has the sentences with which the edge answers people: to commands and forms,
// about documents, and to those who ask to be caught up. What the rules themselves speak
// stands beside the rules.
package say
