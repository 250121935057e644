// Package sim is a stand-in for an Ark chat endpoint: a server that answers
// chat completions in Ark's shapes, on a timetable that is known in advance.
//
// # Timetable
//
// A request is anchored at the moment its body has been read or, if it had to
// queue, at the moment it got a slot. Of the prompt's tokens, those that the
// cache holds cost nothing; the rest cost prefill time:
//
//	TTFT = BaseTTFT + PrefillPer1000 × uncached / 1000
//
// Token k (k = 1, 2, …) leaves at anchor + TTFT + (k−1) × TPOT, one token per
// chunk, each chunk in a write of its own. Deadlines are absolute, so lateness
// never adds up. The closing chunk, the usage chunk and [DONE] leave in one
// write at the last token's time. Inside a testing/synctest bubble, over a
// [PipeNet], every one of these moments is exact to the nanosecond. On Linux
// sockets the wait ends on a timer file descriptor, typically 20 to 120 µs
// after the deadline and without spinning; elsewhere on the runtime's timers.
//
// At most Limit requests generate at once; the others wait in order of
// arrival. A slot is given back just before the last write of a stream, so
// that a client that reacts to the end of a stream finds the slot free.
//
// # Tokens and the prefix cache
//
// Text is cut into tokens by deterministic rules, from left to right (see
// [TokenizerNames]). Two properties hold for all valid UTF-8 texts a and b:
//
//   - all tokens of a but the last are the first tokens of a+b;
//   - the first n tokens of a, joined, are cut into the same n tokens again.
//
// A prompt is the chat template over the messages: every message costs
// TemplateTokens beside its text, and the opening of the answer costs
// TemplateTokens − 1. Nothing joins across a message's edge, so an answer that
// comes back as an assistant message is cut into the very tokens that were
// generated.
//
// The cache compares tokens one by one and forgets the least recently used
// branch first. A prompt becomes visible when its prefill is over: requests
// that begin together with it miss, as on a real server. Prompt and answer
// together become visible when the stream ends. A match shorter than
// CacheMinTokens counts as a miss; the last token of a prompt is always
// computed. Thinking tokens stand between a prompt and its answer, so after a
// thinking turn only the prompt is found again.
//
// # Text
//
// Answers are made up from Seed and the prompt, in the language of the last
// message (Chinese, English or code), and run to the request's output cap
// unless AnswerTokens ends them sooner.
//
// # Faults
//
// A fault is a small change to one request's plan. A request's faults come
// from Config.Vendor, Config.Fault, Config.FaultFor, the model's name and the
// header [HeaderFault], in that order. [Faults] lists them. The syntax is
//
//	name[:argument][selector][+name…]
//
// where the selector @5 means the fifth chat request to the server, @5-8 the
// fifth to eighth, %10 every tenth, and ^2 the first two requests with the same
// body. As a model name, "sim-http_500" is the default model with the fault
// http_500, and "doubao-seed-2-0-mini-260428+no_done" that model with no_done.
package sim
