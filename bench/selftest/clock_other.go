//go:build !linux

package selftest

import "time"

// sharedNow reads the wall clock, which all processes of the machine share.
func sharedNow() int64 { return time.Now().UnixNano() }

func wakeSharply() {}

func sleep(d time.Duration) { time.Sleep(d) }
