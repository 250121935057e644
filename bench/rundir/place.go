package rundir

import (
	"errors"
	"os"
)

// CheckPlace reports whether a folder can hold run directories, and makes it
// if it isn't there. Nothing is left in it.
func CheckPlace(outputDir string) error {
	parent, err := prepare(outputDir)
	if err != nil {
		return err
	}
	probe, err := os.CreateTemp(parent, ".writable-*")
	if err != nil {
		return unwritable(parent, err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return unwritable(parent, err)
	}
	return nil
}
