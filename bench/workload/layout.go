package workload

import (
	"errors"
	"fmt"

	"github.com/llm-bench/llm-bench/bench"
)

// first is the length of a prefix, or of a conversation's first request; own
// is that of a suffix or of a follow-up.
func sizes(spec *bench.Spec) (first, own int) {
	if spec.Scenario == bench.Multiturn {
		return spec.InitialLen, spec.QuestionLen
	}
	return spec.PrefixLen, spec.SuffixLen
}

// firstOrder is a prefix, which ends with a blank line, or the first message
// of a conversation.
func (b *builder) firstOrder(number int) order {
	length, _ := sizes(b.spec)
	o := order{
		head: b.head(number, b.spec.NumPrefixes), tail: "\n",
		target: tokens(length) - b.costs.message, mixed: length >= mixedLen, cast: b.varies(length), fit: b.costs.first,
	}
	if b.spec.Scenario == bench.Multiturn {
		o.head, o.tail = b.head(number, b.spec.NumSessions), b.instruction
	}
	return o
}

// ownOrder is a suffix, or a later message of a conversation.
func (b *builder) ownOrder() order {
	_, length := sizes(b.spec)
	o := order{
		tail: b.instruction, question: true,
		target: tokens(length), mixed: length >= mixedLen, cast: b.varies(length), fit: b.costs.own,
	}
	if b.spec.Scenario == bench.Multiturn {
		o.target -= b.costs.exchange
	}
	return o
}

// varies reports whether free text of the given length would vary too much.
// What counts is the whole request.
func (b *builder) varies(length int) bool {
	if b.spec.Scenario == bench.Prefix {
		length = b.spec.PrefixLen + b.spec.SuffixLen
	}
	return length < freeLen
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
		o := b.ownOrder()
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
		o := b.firstOrder(i + 1)
		text, left, err := b.first.compose(o)
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
	o := b.firstOrder(number)
	text, left, err := b.first.compose(o)
	if err != nil {
		return nil, tooShort(err, "initial_len", b.spec.InitialLen, tokens(b.spec.InitialLen)-o.target)
	}
	sum := b.spec.InitialLen
	turns := []bench.Turn{{Text: text, PromptTokens: sum}}
	for len(turns) < b.spec.MaxTurns {
		o := b.ownOrder()
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
	length := b.spec.PrefixLen + b.spec.SuffixLen + b.spec.InitialLen // of one scenario
	if b.spec.Scenario == bench.Connectivity {
		length = connectivityWarmup
	}
	var sessions []bench.Session
	for i := range b.spec.Warmup {
		text, _, err := c.compose(order{
			head: "w" + b.head(i+1, b.spec.Warmup), tail: b.instruction,
			target: tokens(length) - b.costs.message, mixed: length >= mixedLen, cast: length < freeLen,
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
		Allowed: fmt.Sprintf("%d tokens or more, which the instruction, the nonce and the chat template take", (s.need + beside).ceil())}
}

// replay makes sessions of recorded conversations. A nonce heads each; nothing
// else is added, and no length is stated.
func (b *builder) replay() []bench.Session {
	recorded := b.corpus.conversations
	b.lacks = max(0, b.spec.NumSessions-len(recorded))
	sessions := make([]bench.Session, b.spec.NumSessions)
	for i := range sessions {
		texts := recorded[i%len(recorded)]
		turns := make([]bench.Turn, min(len(texts), b.spec.MaxTurns))
		for t := range turns {
			turns[t].Text = texts[t]
		}
		turns[0].Text = b.head(i+1, len(sessions)) + texts[0]
		sessions[i] = bench.Session{Number: i + 1, Turns: turns}
	}
	return sessions
}
