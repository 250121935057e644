package workload

// Calibration is how one server counts tokens, as far as text from this package
// goes. It is plain data: with it, [Build] makes the same texts again.
type Calibration struct {
	Chinese micro `json:"chinese_microtokens"` // of a local token of Chinese prose
	English micro `json:"english_microtokens"`
	Code    micro `json:"code_microtokens"`
	Reading micro `json:"reading_microtokens"`

	Message  micro `json:"message_microtokens"`  // what the chat template adds to one message
	Exchange micro `json:"exchange_microtokens"` // what it adds for each further pair of messages

	First Fit `json:"first"` // short prefixes or first turns
	Own   Fit `json:"own"`   // short suffixes or follow-ups
}

// Fit is how texts from the cast are brought to their length.
type Fit struct {
	Counts     castCounts `json:"sentences,omitzero"`               // Chinese, English, and statements of code, in each text; all 0: as many as fit
	Correction micro      `json:"correction_microtokens,omitempty"` // observed minus predicted
}

func (c *Calibration) costs() costs {
	return costs{
		meter: meter{
			rates:   [kinds]micro{c.Chinese / tokenEighths, c.English / tokenEighths, c.Code / tokenEighths},
			reading: c.Reading,
		},
		message: c.Message, exchange: c.Exchange, first: c.First, own: c.Own,
	}
}
