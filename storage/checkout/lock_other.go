//go:build !unix || solaris || illumos || aix

package checkout

import (
	"errors"
	"fmt"
	"os"
)

// flock is not to be had here, and without it two replicas could tear an item.
func flock(f *os.File) (bool, error) {
	return false, fmt.Errorf("lock %s: %w", f.Name(), errors.ErrUnsupported)
}
