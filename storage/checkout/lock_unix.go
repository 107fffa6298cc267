//go:build unix && !solaris && !illumos && !aix

package checkout

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// flock takes the exclusive lock of a file unless somebody holds it. The kernel lets
// go of it when the file is closed, also when the process dies.
func flock(f *os.File) (bool, error) {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		return true, nil
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return false, nil
	default:
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
}
