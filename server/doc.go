// Package server is the MCP door: an agent's way to the same runs that the
// command line starts. It holds the tools' schemas and texts, checks
// arguments, waits with progress, and turns errors into what happened and what
// to do. It measures nothing and renders nothing.
//
// A run is a directory on disk and a worker process of its own. A call of
// run_prefix or run_multiturn starts one and waits for a bounded time; get_run
// waits again. Whatever ends a call, or this server, ends the wait alone.
//
// Clients differ in which part of a result their model sees. So a result holds
// everything twice: as structured content, which fits the tool's output
// schema, and as text with the same JSON.
package server
