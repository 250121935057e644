// Package chat is the streaming client of OpenAI-style chat completions that
// measures: it stamps the arrival of every read, keeps all that can wait until
// after the stream, and folds the events into one [bench.Sample].
//
// The request is built by openai-go before the timed region and sent by a
// plain HTTP/1.1 transport: no retry, no redirect, no compression, no shared
// HTTP/2 connection. The response body is read by this package's own reader,
// since the SDK's stream type hides arrival times and takes a cut stream for a
// complete one.
package chat
