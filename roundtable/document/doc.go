// Package document adds to the documents of an item and takes nothing away.
//
// It is for the texts an elaboration or a step leaves behind: Markdown artifacts
// (Merge, MergeOnce), rows of CSV artifacts (AppendRows), artifacts of any kind
// (Enrich chooses a form that cannot break them), the item's meta.json (ParseMeta,
// NewMeta), and the names of items and artifacts (Slug, CheckArtifactName).
//
// The promise is I8 and NFR-004: what Merge and Enrich return for a file that
// existed is old[:p] + inserted + old[p:], one splice and nothing else. For
// Markdown the promise reaches further: Merge parses and renders both texts
// and returns the new one only if every block of the old one still renders to
// the same HTML, in the same order, around the inserted blocks. A splice that
// cannot be shown harmless is refused with ErrNoSafePlace, and Enrich then
// writes a note beside the file.
//
// It is not for storing anything, for deciding what a discussion concluded, or
// for wording announcements. Every function is pure: no clock, no file, no
// log. CommonMark, as goldmark reads it, is the judge of what a heading is;
// what a browser makes of raw HTML left open in the middle of a document is
// beyond it.
package document
