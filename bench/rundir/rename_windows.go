package rundir

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// rename tries for a second: Windows refuses while another process has the old
// file open to read it.
func rename(from, to string) error {
	err := os.Rename(from, to)
	for range 50 {
		if !errors.Is(err, fs.ErrPermission) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
		err = os.Rename(from, to)
	}
	return err
}
