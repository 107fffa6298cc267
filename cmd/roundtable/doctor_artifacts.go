package main

import (
	"context"
	"errors"
	"log/slog"
)

// examineArtifacts opens the directory of documents as serve would, if there is one.
// It makes the folder of records there, if that is missing.
func examineArtifacts(ctx context.Context, c config) []finding {
	const check = "documents"
	if c.Artifacts == "" {
		return nil
	}
	dir, err := openDirectory(ctx, c, slog.New(slog.DiscardHandler))
	if err == nil {
		err = errors.Join(err, dir.Close())
	}
	if err != nil {
		return []finding{{
			Check: check, Level: failure, Found: err.Error(), Means: "serve does not start like this, because documents could not be written",
			Do: "make the directory, on a disk of this host that has room, and let the user that serve runs as write in it; or leave --artifacts out, and Redis keeps the documents",
		}}
	}
	return []finding{{Check: check, Found: "kept in " + c.Artifacts + ", which can be written to and locked"}}
}
