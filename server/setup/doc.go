// Package setup registers the MCP server with the clients of a machine, and
// takes it out again.
//
// A client that has a command for it is asked to do it; a file of settings is
// edited where there is none. What a file was before is kept, so that taking
// the server out gives back every byte, and an edit touches nothing but the
// server's own entry.
package setup
