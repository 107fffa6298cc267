// Package page holds the browser page of the local workspace: the HTML, style
// sheets, scripts and pictures that package slacksim serves at "/".
//
// It is only files. It starts no server, knows no message and decides nothing;
// what the page may ask of the workspace is written down in API.md beside this
// file. The page makes no request to any other origin, so a demonstration works
// without a network.
package page

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed site
var site embed.FS

// FS returns the page's files with index.html at the root, ready for
// http.FileServerFS. The files are part of the binary and never change while it
// runs.
func FS() fs.FS {
	root, err := fs.Sub(site, "site")
	if err != nil {
		// fs.Sub fails only for a malformed path, and this one is a constant.
		panic(fmt.Sprintf("open the embedded page: %v", err))
	}
	return root
}
