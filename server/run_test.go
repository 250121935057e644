package server

import "testing"

func TestAPrefixRunIsStartedFollowedAndReported(t *testing.T) {
	b := newBed(t, options{})
	a := b.call("run_prefix", b.quick())
	t.Log(a.text)
}

func TestConnectivity(t *testing.T) {
	b := newBed(t, options{})
	a := b.call("run_connectivity", b.args())
	t.Log(a.text)
}
