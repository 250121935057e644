// Package job carries out one run from what a user asked for to the report on
// disk: it finds the target, builds the workload, sends it, keeps what comes
// back, and renders the report. Both doors, the command line and the MCP
// server, are thin over it.
package job
