package workload

import "slices"

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

// maxBeside bounds what a calibration may add to a text or take from it.
const maxBeside = 1 << 20 * token

// check refuses what no server's counts have given: a calibration may come from
// elsewhere, in the journal of a run.
func (c *Calibration) check() error {
	rates, besides := []micro{c.Chinese, c.English, c.Code, c.Reading}, []micro{c.Message, c.Exchange, c.First.Correction, c.Own.Correction}
	if slices.Min(rates) < minRate/4 || slices.Max(rates) > 4*maxRate || slices.Min(besides) < -maxBeside || slices.Max(besides) > maxBeside {
		return ErrImplausible
	}
	most := castCounts{chinese: castSentences, english: castSentences, code: castFunctions * castStatements}
	for _, fit := range []Fit{c.First, c.Own} {
		for k, n := range fit.Counts {
			if n < 0 || n > most[k] {
				return ErrImplausible
			}
		}
	}
	return nil
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
