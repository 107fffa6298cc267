package checkout

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// fault marks an error of the file system that only a person can mend.
func fault(err error) error {
	if err == nil || errors.Is(err, engine.ErrBarred) {
		return err
	}
	for _, mendable := range []error{
		fs.ErrPermission, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT, syscall.EXDEV, syscall.ENOTDIR, syscall.ELOOP,
		syscall.ENAMETOOLONG, errors.ErrUnsupported, errNotPlain,
	} {
		if errors.Is(err, mendable) {
			return fmt.Errorf("%w: %w", engine.ErrBarred, err)
		}
	}
	return err
}

// barred is a reason, in words for an operator, why an item cannot be changed.
func barred(format string, args ...any) error {
	return fmt.Errorf("%w: %w", engine.ErrBarred, fmt.Errorf(format, args...))
}
