// Package blockkit is what Slack does with Block Kit, as far as the local workspace
// shows it: it refuses blocks and views that break a documented limit, in Slack's words
// ([Check], [CheckView]); fills in the ids and defaults that an app left out
// ([Complete]); makes rich text of what was written ([RichText]); finds the element that
// a person acted on ([Find]); and says what a form still lacks ([Missing]).
//
// Blocks are plain JSON values, as they came. Nothing here knows a workspace, a message
// or an app.
package blockkit
