package sim

import "strconv"

// errorFaults answer with an Ark error of a class.
func errorFaults() []fault {
	answer := func(x *exchange, a argument) *plan { return x.refuse(standard(a.text)) }
	with := func(name, code, doc string) fault {
		return fault{name: name, arg: text(code), doc: doc, refuse: answer}
	}
	return []fault{
		with("http_400", "InvalidParameter", "400 with an error code"),
		with("http_401", "AuthenticationError", "401 with an error code"),
		with("http_403", "AccountOverdueError", "403 with an error code"),
		with("http_404", "InvalidEndpointOrModel.NotFound", "404 with an error code"),
		with("http_429", "RateLimitExceeded.EndpointTPMExceeded", "429 with an error code"),
		with("http_500", "InternalServiceError", "500 with an error code"),
		with("rpm", "RateLimitExceeded.EndpointRPMExceeded", "429, the endpoint's requests per minute"),
		with("tpm", "RateLimitExceeded.EndpointTPMExceeded", "429, the endpoint's tokens per minute"),
		with("account_limit", "AccountRateLimitExceeded", "429, the account's rate limit"),
		with("overloaded", "ServerOverloaded", "429, the server is overloaded"),
		with("burst", "RequestBurstTooFast", "429, the load has grown too fast"),
		with("quota", "QuotaExceeded", "429 that waiting does not help: the quota is used up"),
		with("set_limit", "SetLimitExceeded", "429 that waiting does not help: the user's own limit"),
		with("inflight", "InflightBatchsizeExceeded", "429 that waiting does not help: requests in flight"),
		{name: "retry_after", arg: count(2), doc: "Retry-After with so many seconds on a 429 or 5xx", bend: retryAfter, always: true},
	}
}

func retryAfter(p *plan, a argument) {
	if p.status >= 429 {
		p.header.Set("Retry-After", strconv.Itoa(a.n))
	}
}

// refusalFaults make the server refuse requests that it would take, or change
// what it knows of the model.
func refusalFaults() []fault {
	return []fault{
		{name: "auth_switch", doc: "401 for the first API key ever seen, until another one is sent", refuse: authSwitch},
		{name: "thinking_forced", doc: "a model that always thinks: 400 to thinking off, as glm-5.3", refuse: func(x *exchange, _ argument) *plan {
			x.model.Thinking = ThinkingForced
			return nil
		}},
		{name: "thinks_anyway", doc: "thinks although thinking is off", refuse: func(x *exchange, _ argument) *plan {
			x.req.thinking = "enabled"
			return nil
		}},
		{name: "thinks_not", doc: "doesn't think although thinking is on", refuse: func(x *exchange, _ argument) *plan {
			x.req.thinking = "disabled"
			return nil
		}},
		{name: "no_temperature", doc: "400 to any temperature or top_p", refuse: refuseFields("InvalidParameter", "temperature", "top_p")},
		{name: "fixed_temperature", doc: "400 to a temperature or top_p that is not the model's own, as Kimi", refuse: fixedTemperature},
		{name: "no_stream_options", doc: "400 to stream_options", refuse: refuseFields("InvalidParameter.UnsupportedParameter", "stream_options")},
		{name: "refuse_reasoning_history", doc: "400 to reasoning_content in the history, as DeepSeek", refuse: refuseReasoningHistory},
		{name: "tier_downgrade", arg: count(1), doc: "serves so many requests in the tier fast, the others in default", refuse: func(x *exchange, a argument) *plan {
			x.tier = "fast"
			if x.ordinal > a.n {
				x.tier = "default"
			}
			return nil
		}},
		{name: "cache_min", arg: count(2048), doc: "another minimum for a cache hit", refuse: func(x *exchange, a argument) *plan {
			x.model.CacheMinTokens = a.n
			return nil
		}},
		{name: "no_cache", doc: "a model without a prefix cache", refuse: func(x *exchange, _ argument) *plan {
			x.model.CacheMinTokens = Off
			return nil
		}},
	}
}

func authSwitch(x *exchange, _ argument) *plan {
	if x.s.isFirstKey(x.request.Header.Get("Authorization")) {
		return x.refuse(standard("AuthenticationError"))
	}
	return nil
}

func refuseFields(code string, fields ...string) func(*exchange, argument) *plan {
	return func(x *exchange, _ argument) *plan {
		for _, name := range fields {
			if _, sent := x.req.fields[name]; sent {
				return x.refuse(refusal(code, "The parameter `%s` is not supported by this model.", name).on(name))
			}
		}
		return nil
	}
}

func fixedTemperature(x *exchange, _ argument) *plan {
	fixed := "1"
	if x.req.thinking == "disabled" {
		fixed = "0.6"
	}
	sent := string(x.req.fields["temperature"])
	if sent != "" && sent != fixed && sent != fixed+".0" {
		return x.refuse(refusal("InvalidParameter", "invalid temperature: only %s is allowed for this model.", fixed).on("temperature"))
	}
	return refuseFields("InvalidParameter", "top_p")(x, argument{})
}

func refuseReasoningHistory(x *exchange, _ argument) *plan {
	for _, m := range x.req.messages {
		if m.Reasoning != nil {
			return x.refuse(refusal("InvalidParameter", "`reasoning_content` is not allowed in the messages.").on("messages"))
		}
	}
	return nil
}
