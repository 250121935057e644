package bench

import (
	"cmp"
	"errors"
	"fmt"
)

// Terms are what a target sets for the requests that it is sent. What is left
// at zero is the run's to say.
type Terms struct {
	MaxConcurrency int    `json:"max_concurrency,omitempty"` // limit: no run may have more in flight there
	RPM            int    `json:"rpm,omitempty"`             // requests a minute that the endpoint takes; 0: not known
	TPM            int    `json:"tpm,omitempty"`             // tokens a minute that the endpoint takes; 0: not known
	Limits         Limits `json:"limits,omitzero"`
	Prices         Prices `json:"prices,omitzero"`
}

// Apply puts the terms in place of s's own.
func (t *Terms) Apply(s *Spec) {
	if t.MaxConcurrency > 0 {
		s.MaxConcurrency = min(s.MaxConcurrency, t.MaxConcurrency)
	}
	s.Limits.Connect = cmp.Or(t.Limits.Connect, s.Limits.Connect)
	s.Limits.FirstToken = cmp.Or(t.Limits.FirstToken, s.Limits.FirstToken)
	s.Limits.Idle = cmp.Or(t.Limits.Idle, s.Limits.Idle)
	s.Limits.Total = cmp.Or(t.Limits.Total, s.Limits.Total)
	if t.Prices != (Prices{}) {
		s.Prices = t.Prices
	}
}

// Check reports what s asks for against the terms, as joined [FieldError]s.
func (t *Terms) Check(s *Spec) error {
	v := validation{}
	v.check(t.MaxConcurrency == 0 || s.MaxConcurrency <= t.MaxConcurrency, "max_concurrency", s.MaxConcurrency,
		fmt.Sprintf("1 to %d, the limit of the target", t.MaxConcurrency))
	return errors.Join(v.faults...)
}
