package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// hints tell a client whether a person should be asked before the call.
type hints struct{ readOnly, destructive, idempotent, openWorld bool }

// tool is one tool before it meets the protocol.
type tool struct {
	name, title string
	description string
	hints       hints
	params      []param
	output      json.RawMessage
	handle      func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error)
}

// tools are what this server offers.
func (s *Server) tools() []mcpserver.ServerTool {
	var list []mcpserver.ServerTool
	for _, t := range s.definitions() {
		list = append(list, mcpserver.ServerTool{Tool: t.schema(), Handler: t.handle})
	}
	return list
}

func (s *Server) definitions() []tool {
	list := []tool{s.checkLoginTool(), s.resolveModelTool(), s.getRunTool(), s.listRunsTool(), s.compareTool()}
	if s.deps.ReadOnly {
		return list
	}
	return append(list, s.connectivityTool(), s.prefixTool(), s.multiturnTool(), s.cancelRunTool(), s.packageTool())
}

// schema is the tool as clients see it.
func (t *tool) schema() mcp.Tool {
	options := []mcp.ToolOption{
		mcp.WithToolTitle(t.title), mcp.WithDescription(t.description),
		mcp.WithTitleAnnotation(t.title),
		mcp.WithReadOnlyHintAnnotation(t.hints.readOnly), mcp.WithDestructiveHintAnnotation(t.hints.destructive),
		mcp.WithIdempotentHintAnnotation(t.hints.idempotent), mcp.WithOpenWorldHintAnnotation(t.hints.openWorld),
		mcp.WithSchemaAdditionalProperties(false), mcp.WithRawOutputSchema(t.output),
	}
	for _, p := range t.params {
		options = append(options, p.option())
	}
	return mcp.NewTool(t.name, options...)
}

// bare is a result that holds what all results hold. It fits every tool's schema.
type bare struct{ common }

func (*bare) shrink() bool { return false }

// wordFaults puts sentences in the place of what the schema's validator says
// of arguments that don't fit.
func (s *Server) wordFaults(_ context.Context, _ any, request *mcp.CallToolRequest, answer any) {
	result, ok := answer.(*mcp.CallToolResult)
	if !ok || !result.IsError || result.StructuredContent != nil {
		return
	}
	message := "the arguments don't fit the tool's schema"
	for _, t := range s.definitions() {
		if t.name != request.Params.Name {
			continue
		}
		if faults := checkArguments(t.params, request.GetArguments()); len(faults) > 0 {
			message = strings.Join(faults, "; ")
		}
	}
	worded, err := failure(&argumentError{message})
	if err == nil {
		*result = *worded
	}
}

// argumentError says what is wrong with the arguments of a call.
type argumentError struct{ message string }

// Error implements error.
func (e *argumentError) Error() string { return e.message }

// arguments decodes the arguments of a call that the schema has let through.
func arguments[T any](request mcp.CallToolRequest) (T, error) {
	var args T
	if err := request.BindArguments(&args); err != nil {
		return args, &argumentError{fmt.Sprintf("the arguments can't be read: %v", err)}
	}
	return args, nil
}
