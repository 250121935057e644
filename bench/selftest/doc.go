// Package selftest measures the measurer: a run against an endpoint whose every
// chunk carries the time at which it was sent, so that the error of what the
// client stamps is known, chunk by chunk.
//
// The endpoint is a process of its own. Its times and the client's are laid on
// one clock that both processes read: CLOCK_MONOTONIC on Linux, elsewhere the
// wall clock, whose adjustments then count as error. The measured path is that
// of every run: [bench.Run] with a [chat.Client].
//
// # What is held against what
//
// The error of a chunk is its stamp minus the moment right before it was
// written. TTFT's error is that of the first chunk; TPOT's is the difference
// between TPOT by the stamps and TPOT by the times of sending. The true TTFT,
// against which the verdict on a run is judged, begins when the endpoint had
// the whole request, so that what the client takes to send it counts as error.
package selftest
