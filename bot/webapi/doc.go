// Package webapi is Slack's Web API as this program calls it: each method is left alone as
// long as Slack asked any replica to (but chat.postMessage, whose pace the store keeps by
// channel), an error says whether the call may have taken effect, and no error carries a
// secret.
package webapi
