// Package wire is what lies between the bot and the network: a Socket Mode connection that
// tells when bytes arrived and acknowledgements left, events made small before they are
// decoded, and a transport that holds a request's bytes back once its deadline has passed.
package wire
