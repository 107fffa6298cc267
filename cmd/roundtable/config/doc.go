// Package config is what the program can be told: one Config, and the settings by which
// a flag, an environment variable or a line of roundtable.yaml reaches each of its
// fields.
//
// A command calls [Read] with its [Variant] and gets the Config, or a [UsageError] with
// every problem at once. A flag beats the environment, which beats the file, which beats
// the default. The file is read strictly: a key that is unknown or given twice is a
// problem with its line. Secrets come from the environment, or from a file that it
// names, and are never printed.
//
// A new setting is a field of [Config] and a line in [Settings]; what its values may be
// is a flag.Value in values.go or model_values.go.
//
// The package opens and reaches nothing: whether a token works or Redis answers is seen
// by those who use it.
package config
