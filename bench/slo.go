package bench

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// SLO is what a user calls good: a request meets it when it succeeded and no
// stated limit is exceeded. 0 is no limit.
type SLO struct{ TTFT, TPOT, E2E time.Duration }

type sloJSON struct {
	TTFT Millis `json:"ttft_ms,omitempty"`
	TPOT Millis `json:"tpot_ms,omitempty"`
	E2E  Millis `json:"e2e_ms,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (s SLO) MarshalJSON() ([]byte, error) {
	return json.Marshal(sloJSON{Millis(s.TTFT), Millis(s.TPOT), Millis(s.E2E)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *SLO) UnmarshalJSON(data []byte) error {
	var j sloJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*s = SLO{time.Duration(j.TTFT), time.Duration(j.TPOT), time.Duration(j.E2E)}
	return nil
}

// ParseSLO reads "ttft=1s,tpot=50ms,e2e=20s"; each part may be left out.
func ParseSLO(text string) (SLO, error) {
	var s SLO
	if text == "" {
		return s, nil
	}
	refused := func(part string) (SLO, error) {
		return SLO{}, &FieldError{"slo", fmt.Sprintf("%q", part), `parts such as ttft=1s,tpot=50ms,e2e=20s`}
	}
	fields := map[string]*time.Duration{"ttft": &s.TTFT, "tpot": &s.TPOT, "e2e": &s.E2E}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		field, known := fields[strings.ToLower(name)]
		d, err := time.ParseDuration(value)
		if !known || err != nil || d <= 0 || *field != 0 {
			return refused(part)
		}
		*field = d
	}
	return s, nil
}

// Met reports whether the sample meets the SLO. A stated limit on a figure
// that is undefined for the sample (TPOT of a one-token answer) is met.
func (s SLO) Met(sample *Sample) bool {
	return sample.Outcome == Succeeded &&
		within(s.TTFT, sample.TTFT) && within(s.TPOT, sample.TPOT) && within(s.E2E, sample.E2E)
}

func within(limit time.Duration, figure func() (time.Duration, bool)) bool {
	d, defined := figure()
	return limit == 0 || !defined || d <= limit
}
