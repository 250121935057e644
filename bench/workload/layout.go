package workload

import (
	"errors"

	"github.com/llm-bench/llm-bench/bench"
)

// materialOrder is a shared prefix: it ends with a blank line.
func (b *builder) materialOrder(number int) order {
	return order{
		head: b.head(number, b.spec.NumPrefixes), tail: "\n",
		target: tokens(b.spec.PrefixLen) - b.costs.message,
		size:   sizeOf(b.spec.PrefixLen), fit: b.costs.first,
	}
}

// suffixOrder is what follows a prefix.
func (b *builder) suffixOrder() order {
	return order{
		tail: instruction, target: tokens(b.spec.SuffixLen), question: true,
		size: sizeOf(b.spec.SuffixLen), fit: b.costs.own,
	}
}

// openingOrder is the first message of a conversation.
func (b *builder) openingOrder(number int) order {
	return order{
		head: b.head(number, b.spec.NumSessions), tail: instruction,
		target: tokens(b.spec.InitialLen) - b.costs.message,
		size:   sizeOf(b.spec.InitialLen), fit: b.costs.first,
	}
}

// followUpOrder is a later message of a conversation.
func (b *builder) followUpOrder() order {
	return order{
		tail: instruction, target: tokens(b.spec.QuestionLen) - b.costs.exchange, question: true,
		size: sizeOf(b.spec.QuestionLen), fit: b.costs.own,
	}
}

// prefixSessions are one request each. A request's suffix makes up for what
// its prefix lacks of its length.
func (b *builder) prefixSessions() ([]bench.Session, error) {
	prefixes, lacks, err := b.prefixes()
	if err != nil {
		return nil, err
	}
	sessions := make([]bench.Session, b.spec.NumRequests)
	var carried micro
	for i := range sessions {
		p := i % len(prefixes)
		o := b.suffixOrder()
		o.target += lacks[p] + carried
		text, left, err := b.own.compose(o)
		if err != nil {
			return nil, tooShort(err, "suffix_len", b.spec.SuffixLen, tokens(b.spec.SuffixLen)-o.target)
		}
		carried = b.carry(left)
		sessions[i] = bench.Session{
			Number: i + 1, Prefix: p + 1, Ordinal: i/len(prefixes) + 1,
			Turns: []bench.Turn{{Prefix: prefixes[p], Text: text, PromptTokens: b.spec.PrefixLen + b.spec.SuffixLen}},
		}
	}
	return sessions, nil
}

func (b *builder) prefixes() (texts []string, lacks []micro, err error) {
	for i := range b.spec.NumPrefixes {
		o := b.materialOrder(i + 1)
		text, left, err := b.material.compose(o)
		if err != nil {
			return nil, nil, tooShort(err, "prefix_len", b.spec.PrefixLen, tokens(b.spec.PrefixLen)-o.target)
		}
		texts, lacks = append(texts, text), append(lacks, left)
	}
	return texts, lacks, nil
}

// carry is what the next request is to make up for, so that the mean length is
// right where no single one can be. The local unit needs none.
func (b *builder) carry(left micro) micro {
	if b.costs.meter.exact {
		return 0
	}
	return left
}

func (b *builder) conversations() ([]bench.Session, error) {
	sessions := make([]bench.Session, b.spec.NumSessions)
	for i := range sessions {
		turns, err := b.conversation(i + 1)
		if err != nil {
			return nil, err
		}
		sessions[i] = bench.Session{Number: i + 1, Turns: turns}
	}
	return sessions, nil
}

// conversation makes the turns of one session. Each makes up for what the turn
// before lacks.
func (b *builder) conversation(number int) ([]bench.Turn, error) {
	o := b.openingOrder(number)
	text, left, err := b.material.compose(o)
	if err != nil {
		return nil, tooShort(err, "initial_len", b.spec.InitialLen, tokens(b.spec.InitialLen)-o.target)
	}
	sum := b.spec.InitialLen
	turns := []bench.Turn{{Text: text, PromptTokens: sum}}
	for len(turns) < b.spec.MaxTurns {
		o := b.followUpOrder()
		o.target += left
		if text, left, err = b.own.compose(o); err != nil {
			return nil, tooShort(err, "question_len", b.spec.QuestionLen, tokens(b.spec.QuestionLen)-o.target)
		}
		sum += b.spec.QuestionLen
		turns = append(turns, bench.Turn{Text: text, PromptTokens: sum})
	}
	return turns, nil
}

// warmup makes requests like the measured ones, with nothing in common.
func (b *builder) warmup() ([]bench.Session, error) {
	c := newComposer(b.spec.Seed, streamWarmup, b.costs.meter)
	length := b.spec.PrefixLen + b.spec.SuffixLen
	if b.spec.Scenario == bench.Multiturn {
		length = b.spec.InitialLen
	}
	if b.spec.Scenario == bench.Connectivity {
		length = connectivityWarmup
	}
	var sessions []bench.Session
	for i := range b.spec.Warmup {
		text, _, err := c.compose(order{
			head: "w" + b.head(i+1, b.spec.Warmup), tail: instruction,
			target: tokens(length) - b.costs.message, size: sizeOf(length),
		})
		if err != nil {
			return nil, tooShort(err, "warmup length", length, b.costs.message)
		}
		sessions = append(sessions, bench.Session{Number: i + 1, Turns: []bench.Turn{{Text: text, PromptTokens: length}}})
	}
	return sessions, nil
}

// connectivityWarmup is the length of a warm-up request before a connectivity test.
const connectivityWarmup = 128

// tooShort turns a shortfall into the fault of a parameter. What the piece
// needs beside its target is added.
func tooShort(err error, field string, value int, beside micro) error {
	var s *shortfall
	if !errors.As(err, &s) {
		return err
	}
	return &bench.FieldError{Field: field, Value: value,
		Allowed: (s.need + beside).atLeast() + ", which the instruction, the nonce and the chat template take"}
}
