package workload

// Calibration is how one server counts tokens, as far as text from this package
// goes. It is plain data: with it, [Build] makes the same texts again. Lengths
// are millionths of a token.
type Calibration struct {
	Chinese micro `json:"chinese_microtokens"` // of a local token of Chinese prose
	English micro `json:"english_microtokens"`
	Code    micro `json:"code_microtokens"`
	Reading micro `json:"reading_microtokens"`

	Message  micro `json:"message_microtokens"`  // what the chat template adds to one message
	Exchange micro `json:"exchange_microtokens"` // what it adds for each further pair of messages; 0: not measured

	First Fit `json:"first,omitzero"` // of prefixes or first turns
	Own   Fit `json:"own,omitzero"`   // of suffixes or follow-ups

	Probes []Probe `json:"probes"`
}

// Probe is one request of a calibration: what it was for, the length that was
// expected after the probes before it, and what the server counted.
type Probe struct {
	Purpose  string `json:"purpose"`
	Expected int    `json:"expected_tokens"`
	Counted  int    `json:"prompt_tokens"`
}

// Fit is how texts from the cast are brought to their length.
type Fit struct {
	Counts     castCounts `json:"counts,omitzero"`                  // of what each text deals; all 0: as many as fit
	Correction micro      `json:"correction_microtokens,omitempty"` // counted minus expected
}

func (c *Calibration) costs() costs {
	return costs{
		meter: meter{
			rates:   lengths{c.Chinese / tokenEighths, c.English / tokenEighths, c.Code / tokenEighths},
			reading: c.Reading,
		},
		message: c.Message, exchange: c.Exchange, first: c.First, own: c.Own,
	}
}
