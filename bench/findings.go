package bench

// Finding is something that a reader of the report must know: what was seen,
// as figures. Its wording, cause and next step belong to the report.
type Finding struct {
	Rule       string         `json:"rule"`
	Figures    map[string]any `json:"figures,omitempty"`
	RequestIDs []string       `json:"request_ids,omitempty"`
}

// Findings applies every rule and lists what holds, the weightiest first.
func Findings(spec *Spec, target *Target, s *Summary, m *Measurement) []Finding {
	return nil
}
