package server

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

const (
	defaultWait = 45 * time.Second
	longestWait = 240 * time.Second
	// progressEvery is the least time between two notes of progress, and
	// quietEnd that between the last of them and the end of the wait: what is
	// sent just before an answer may arrive after it.
	progressEvery = 2 * time.Second
	quietEnd      = time.Second
)

// envMaxWait caps the seconds of every wait, for clients that give up early.
const envMaxWait = "LLM_BENCH_MAX_WAIT"

// wait is how long a call waits.
func (s *Server) wait(seconds *int) time.Duration {
	d := defaultWait
	if seconds != nil {
		d = time.Duration(*seconds) * time.Second
	}
	d = min(max(d, 0), longestWait)
	if text, _ := s.deps.Env(envMaxWait); text != "" {
		if most, err := strconv.Atoi(text); err == nil && most >= 0 {
			d = min(d, time.Duration(most)*time.Second)
		}
	}
	return d
}

// follow waits for a run, with progress for a client that asked for it.
func (s *Server) follow(ctx context.Context, request mcp.CallToolRequest, dir string, wait time.Duration) (*rundir.State, error) {
	return job.Follow(ctx, dir, wait, s.reporter(ctx, request, wait))
}

// reporter sends notes of progress; nil if nobody asked for them.
func (s *Server) reporter(ctx context.Context, request mcp.CallToolRequest, wait time.Duration) func(*rundir.State) {
	meta := request.Params.Meta
	if meta == nil || meta.ProgressToken == nil {
		return nil
	}
	p := &progress{began: time.Now(), at: time.Now(), wait: wait}
	return func(state *rundir.State) {
		if value, due := p.next(time.Now(), state.Done()); due {
			// A client that takes no notes gets none; the answer doesn't depend on them.
			_ = s.mcp.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
				"progressToken": meta.ProgressToken, "progress": value, "total": float64(max(state.Planned, 1)), "message": progressLine(state),
			})
		}
	}
}

// progress makes sure that notes of progress increase and keep their distance.
type progress struct {
	began, at time.Time
	wait      time.Duration
	value     float64
}

// next is the value of a note, if one is due. It is the number of requests
// done, or a little more than before when no other has been done since.
func (p *progress) next(now time.Time, done int) (value float64, due bool) {
	if now.Sub(p.at) < progressEvery || p.wait-now.Sub(p.began) < quietEnd {
		return 0, false
	}
	p.at = now
	p.value = max(float64(done), math.Round((p.value+0.001)*1000)/1000)
	return p.value, true
}

// progressLine is how a run stands, in one line.
func progressLine(s *rundir.State) string {
	line := fmt.Sprintf("%s %d/%d done, %d failed", s.Scenario, s.Done(), s.Planned, s.Failed)
	if s.Phase != "" && s.Phase != "measuring" {
		line += ", phase " + s.Phase
	}
	if s.TTFTP50 != nil {
		line += fmt.Sprintf(", TTFT p50 %.2f s", time.Duration(*s.TTFTP50).Seconds())
	}
	if s.ETA != nil {
		line += ", about " + span(*s.ETA) + " left"
	}
	return line
}

// span prints seconds as a person says them.
func span(seconds float64) string {
	if seconds < 90 {
		return fmt.Sprintf("%.0f s", math.Ceil(seconds))
	}
	return fmt.Sprintf("%.0f min", math.Ceil(seconds/60))
}
