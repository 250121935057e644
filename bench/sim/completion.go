package sim

import "strconv"

// wholeAnswer turns a streaming plan into one that sends a single JSON object
// when the last token is there.
func wholeAnswer(p *plan) {
	p.header.Set("Content-Type", contentJSON)
	p.fold()
	p.expand(func(ev event, yield func(event) bool) bool {
		if ev.kind != kindContent {
			return true
		}
		body := string(p.shape.appendCompletion(nil, &ev))
		return yield(event{at: ev.at, kind: kindRaw, text: body, tokens: ev.tokens, join: true})
	})
}

// appendCompletion appends the JSON of an answer that is not streamed.
func (s *shape) appendCompletion(dst []byte, ev *event) []byte {
	dst = append(dst, `{"choices":[{"finish_reason":`...)
	dst = appendString(dst, ev.finish)
	dst = append(dst, `,"index":0,"message":{"content":`...)
	dst = appendString(dst, ev.text)
	if ev.reasoning != "" {
		dst = appendString(append(dst, ','), s.reasoning)
		dst = append(dst, ':')
		dst = appendString(dst, ev.reasoning)
	}
	dst = append(dst, `,"role":"assistant"}}],"created":`...)
	dst = strconv.AppendInt(dst, s.created, 10)
	dst = appendString(append(dst, `,"id":`...), s.id)
	dst = appendString(append(dst, `,"model":`...), s.model)
	dst = appendString(append(dst, `,"service_tier":`...), s.tier)
	dst = append(dst, `,"object":"chat.completion"`...)
	dst = s.appendUsage(dst, ev)
	return append(dst, '}')
}
