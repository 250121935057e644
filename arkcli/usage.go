package arkcli

import (
	"context"
	"time"
)

// Usage is what the account has really sent to one model or endpoint.
type Usage struct {
	Days         int `json:"days"` // that the figures cover
	Requests     int `json:"requests"`
	InputTokens  int `json:"input_tokens"`
	CachedTokens int `json:"cached_tokens"` // of the input tokens
	OutputTokens int `json:"output_tokens"`
}

// maxUsageDays is the longest span that the statistics answer for.
const maxUsageDays = 31

// Usage reads the statistics of the given number of days up to now, 1 to 31.
// They lag 5 to 30 minutes behind. The error is an *Error.
func (c *CLI) Usage(ctx context.Context, profile, model string, days int, now time.Time) (Usage, error) {
	days = min(max(days, 1), maxUsageDays)
	by := "--model"
	if isEndpointID(model) {
		by = "--endpoint"
	}
	args := []string{"usage", "stats", "--start", now.AddDate(0, 0, 1-days).Format(time.DateOnly), "--end", now.Format(time.DateOnly), by, model}
	if profile != "" {
		args = append(args, "--profile", profile)
	}
	v, _, err := c.ask(ctx, args...)
	if err != nil {
		return Usage{}, err
	}
	totals := v.field("totals")
	return Usage{
		Days: days, Requests: totals.field("ReqCnt").count(), InputTokens: totals.field("InputTokens").count(),
		CachedTokens: totals.field("CacheTokensHit").count(), OutputTokens: totals.field("OutputTokens").count(),
	}, nil
}
