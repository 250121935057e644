package server

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"time"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// Name is the server's name, in its answers and in clients' configurations.
const Name = "llm-bench"

// Ark is what the tools ask of Ark CLI.
type Ark interface {
	job.Ark
	Login(ctx context.Context, profile string) (arkcli.Login, error)
	Resolve(ctx context.Context, profile, query string) (arkcli.Resolution, error)
}

var _ Ark = (*arkcli.CLI)(nil)

// Deps are what the server works with.
type Deps struct {
	Ark        Ark
	Index      rundir.Index
	Executable string          // this program, to be started as a worker
	Version    string          // of this program
	Env        job.Environment // default os.LookupEnv
	Now        func() time.Time
	WorkDir    string    // default the working folder
	Stderr     io.Writer // for errors of the connection, default os.Stderr
	LogFile    string    // record of what goes over the wire, without keys; "" is none
	ReadOnly   bool      // only tools that start and stop nothing
}

// Server answers one client.
type Server struct {
	deps Deps
	mcp  *mcpserver.MCPServer
	runs runMemory
}

// pool is the number of tool calls that may wait side by side.
const pool = 32

// New makes a server. It asks nobody and reads nothing, so that it is ready at once.
func New(deps Deps) *Server {
	if deps.Env == nil {
		deps.Env = os.LookupEnv
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.Stderr == nil {
		deps.Stderr = os.Stderr
	}
	if deps.WorkDir == "" {
		deps.WorkDir, _ = os.Getwd() // "" rules the working folder out as a place for reports
	}
	s := &Server{deps: deps}
	hooks := &mcpserver.Hooks{}
	hooks.AddAfterCallTool(s.wordFaults)
	s.mcp = mcpserver.NewMCPServer(Name, deps.Version,
		mcpserver.WithInstructions(instructions),
		mcpserver.WithToolCapabilities(false),
		mcpserver.WithRecovery(),
		mcpserver.WithInputSchemaValidation(),
		mcpserver.WithStrictInputSchemaDefault(),
		mcpserver.WithOutputSchemaValidation(),
		mcpserver.WithHooks(hooks),
	)
	for _, t := range s.tools() {
		s.mcp.AddTool(t.Tool, t.Handler)
	}
	return s
}

// Serve answers the client that writes to in and reads from out, until in ends
// or ctx does. Either is an orderly end, and runs go on.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	wire, err := openWireLog(s.deps.LogFile, s.deps.Now)
	if err != nil {
		return err
	}
	defer wire.close()
	ended := make(chan struct{})
	stdio := mcpserver.NewStdioServer(s.mcp)
	mcpserver.WithErrorLogger(log.New(s.deps.Stderr, Name+": ", 0))(stdio)
	mcpserver.WithWorkerPoolSize(pool)(stdio)
	done := make(chan error, 1)
	go func() { done <- stdio.Listen(ctx, &endReader{from: wire.reading(in), ended: ended}, wire.writing(out)) }()
	select {
	case err = <-done:
	case <-ended:
		err = s.drain(done)
	case <-ctx.Done():
		err = s.drain(done)
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// drainTime is how long calls may take to end after the client has gone.
const drainTime = 100 * time.Millisecond

func (s *Server) drain(done <-chan error) error {
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return nil
	}
}

// endReader says when there is nothing more to read.
type endReader struct {
	from  io.Reader
	ended chan struct{}
	over  bool
}

// Read implements [io.Reader].
func (r *endReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && !r.over {
		r.over = true
		close(r.ended)
	}
	return n, err
}
