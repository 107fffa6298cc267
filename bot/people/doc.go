// Package people knows who somebody is in Slack and who is in which channel: what rights
// hang on. It remembers for a while, asks Slack sparingly, and where Slack does not answer it
// says so and gives nobody a right.
package people
