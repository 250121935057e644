// Package bench is the vocabulary of a benchmark of chat endpoints: what is
// asked for, how it is carried out, and what is measured. It imports nothing
// but the standard library, and knows no SDK, no terminal and no file.
//
// # What is measured
//
// All times come from one monotonic clock, in nanoseconds since the run began
// ([Clock], [Mark]). The arrival of an event is the kernel's receive time of
// the segment that completed it, where the system gives it, else the moment
// at which the read returned, before any parsing.
//
//   - start: right before the request is handed to the HTTP transport; the
//     concurrency slot is held and the body is built. Waiting for a slot is
//     never counted; opening a connection is, where one must be opened.
//   - first token: arrival of the first output event, which is a chunk with
//     non-empty content, reasoning, refusal, or a tool-call fragment with a name
//     or arguments. A role, an empty string, null or usage alone is none.
//   - last token: arrival of the last output event. The finish chunk, the usage
//     chunk, [DONE] and the close lie behind it and count for nothing.
//
// From these follow, for each request ([Sample]):
//
//	TTFT = first token − start
//	E2E  = last token − start
//	TPOT = (E2E − TTFT) / (output tokens − 1)
//	ITL  = the gaps between consecutive output events
//
// Output tokens are the server's own count, reasoning included. Without usage,
// under two tokens, or where all output shares one arrival, TPOT is undefined
// and left out; so is every figure of a request that failed. What is unknown
// is absent, never 0.
//
// The cache hit rate is Σ cached tokens / Σ prompt tokens over successful
// requests. If no response of a run carries a count of cached tokens it is not
// reported; if some do, one without counts as 0.
//
// # What a run amounts to
//
// [Summarize] turns samples into a [Summary]: AVG, P50, P90, P95, P99, minimum,
// maximum and standard deviation, percentiles by linear interpolation between
// the closest ranks. Beside AVG, P50 and P99 stand 95 % intervals over the
// independent unit: requests, cold and later uses apart, or sessions.
// Throughput is taken from the first start to the last end. [Judge] says
// whether the client itself distorted the figures, [Findings] what a reader
// must know. All of them are pure functions of the record that a run leaves.
package bench
