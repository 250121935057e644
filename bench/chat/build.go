package chat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/llm-bench/llm-bench/bench"
)

// builder makes the HTTP requests of one target.
type builder struct {
	target *bench.Target
	spec   *bench.Spec
	agent  string // User-Agent
}

// errBuilt stops the SDK once it has built the request.
var errBuilt = errors.New("request built")

// build returns the request, ready to be sent, and its body's length. The SDK
// sees none of the OPENAI_* environment: its service is made without the
// client that would read it.
func (b *builder) build(ctx context.Context, messages []bench.Message) (*http.Request, int, error) {
	var built *http.Request
	capture := func(r *http.Request, _ option.MiddlewareNext) (*http.Response, error) {
		built = r
		return nil, errBuilt
	}
	service := openai.NewChatCompletionService(
		option.WithBaseURL(b.target.BaseURL), option.WithAPIKey(b.target.Key.Reveal()),
		option.WithMaxRetries(0), option.WithMiddleware(capture),
	)
	stream := service.NewStreaming(ctx, b.params(messages), b.options()...)
	_ = stream.Close()
	if built == nil {
		return nil, 0, fmt.Errorf("build the request: %w", stream.Err())
	}
	b.headers(built.Header)
	return built, int(built.ContentLength), nil
}

func (b *builder) params(messages []bench.Message) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model:         b.target.Model,
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
		ServiceTier:   openai.ChatCompletionNewParamsServiceTier(b.spec.ServiceTier),
	}
	p.ReasoningEffort = openai.ReasoningEffort(b.spec.ReasoningEffort)
	for _, m := range messages {
		if m.Role == bench.RoleAssistant {
			p.Messages = append(p.Messages, openai.AssistantMessage(m.Content()))
		} else {
			p.Messages = append(p.Messages, openai.UserMessage(m.Content()))
		}
	}
	return p
}

// options adds what the dialect says, in a fixed order.
func (b *builder) options() []option.RequestOption {
	fields, _ := b.target.Dialect.Body(b.spec.Thinking)
	fields[b.target.Dialect.OutputCap] = b.spec.MaxOutputTokens
	var options []option.RequestOption
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		options = append(options, option.WithJSONSet(escapePath(key), fields[key]))
	}
	return options
}

// escapePath makes a field's name one step of the SDK's path language.
func escapePath(key string) string {
	return strings.NewReplacer(".", `\.`, "*", `\*`, "?", `\?`, "|", `\|`, "#", `\#`, "@", `\@`).Replace(key)
}

func (b *builder) headers(h http.Header) {
	for name := range h {
		if strings.HasPrefix(name, "X-Stainless-") {
			h.Del(name)
		}
	}
	h.Set("User-Agent", b.agent)
	h.Set("Accept", "text/event-stream")
	h.Set("Accept-Encoding", "identity") // a compressing proxy would hold the stream back
	if b.target.Key.IsZero() {
		h.Del("Authorization")
	}
	for name, value := range b.target.Dialect.ExtraHeaders {
		h.Set(name, value)
	}
}

// describe writes size and hash of the prompt into the sample.
func describe(s *bench.Sample, messages []bench.Message) {
	hash := sha256.New()
	for _, m := range messages {
		for _, part := range []string{string(m.Role), "\x00", m.Prefix, m.Text, "\x00"} {
			_, _ = io.WriteString(hash, part)
		}
		s.PromptBytes += len(m.Prefix) + len(m.Text)
	}
	s.PromptHash = hex.EncodeToString(hash.Sum(nil))
}
