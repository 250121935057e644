//go:build !windows

package rundir

import "os"

func rename(from, to string) error { return os.Rename(from, to) }
