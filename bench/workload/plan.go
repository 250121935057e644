package workload

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/llm-bench/llm-bench/bench"
)

// Plan is what a run sends.
type Plan struct {
	Sessions []bench.Session
	Warmup   []bench.Session // sent first and not measured; as many as the spec says

	// InputHash is the SHA-256 of all measured texts in order, in hex.
	InputHash string
	// MaterialHash is the same without the nonces: equal in two runs of one
	// seed, whose texts differ in nothing else.
	MaterialHash string

	Lang   string // of the instruction that ends each message: zh or en
	Reused bool   // the corpus was too small and its text was used more than once
}

// Options are what a plan depends on beside the spec. The zero value generates
// text at local lengths.
type Options struct {
	Calibration *Calibration // required for lengths in the server's tokens, else unused
	Corpus      *Corpus      // the user's own text; nil: generated text
	AllowReuse  bool         // a corpus that is too small starts again from its beginning
}

// ErrNotCalibrated says that lengths in the server's tokens need a calibration.
var ErrNotCalibrated = errors.New("lengths in the server's tokens need a calibration")

// Build makes the inputs of a run. It is a pure function of its arguments. The
// spec must be valid; a length too small for what every message must hold is a
// [bench.FieldError].
func Build(spec *bench.Spec, opts Options) (*Plan, error) {
	b, err := newBuilder(spec, opts)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Lang: "zh"}
	if plan.Sessions, err = b.sessions(); err != nil {
		return nil, err
	}
	if plan.Warmup, err = b.warmup(); err != nil {
		return nil, err
	}
	plan.InputHash = hash(plan.Sessions, "")
	plan.MaterialHash = hash(plan.Sessions, spec.Nonce)
	return plan, nil
}

// hash digests the texts of sessions, each framed by its length, without the
// nonce at the head of a text.
func hash(sessions []bench.Session, nonce string) string {
	h := sha256.New()
	write := func(text string) {
		if len(text) >= len(nonce) && text[:len(nonce)] == nonce {
			text = text[len(nonce):]
		}
		io.WriteString(h, strconv.Itoa(len(text))+":")
		io.WriteString(h, text)
	}
	for i := range sessions {
		for _, turn := range sessions[i].Turns {
			write(turn.Prefix)
			write(turn.Text)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// instruction ends each measured message, so that answers reach the output cap.
const instruction = "请结合以上内容，用中文写一篇尽可能详细的长文，逐段展开，不要提前结束。"

// builder makes sessions from generated text.
type builder struct {
	spec     *bench.Spec
	costs    costs
	material *composer // prefixes and first turns
	own      *composer // suffixes and follow-ups
}

func newBuilder(spec *bench.Spec, opts Options) (*builder, error) {
	c := localCosts()
	if spec.LengthUnit == bench.LengthServer && spec.Scenario != bench.Connectivity {
		if opts.Calibration == nil {
			return nil, ErrNotCalibrated
		}
		c = opts.Calibration.costs()
	}
	return &builder{
		spec: spec, costs: c,
		material: newComposer(spec.Seed, streamMaterial, c.meter),
		own:      newComposer(spec.Seed, streamOwn, c.meter),
	}, nil
}

func (b *builder) sessions() ([]bench.Session, error) {
	switch b.spec.Scenario {
	case bench.Prefix:
		return b.prefixSessions()
	case bench.Multiturn:
		return b.conversations()
	}
	return b.connectivity(), nil
}

// head is the first line of what must hit no earlier cache.
func (b *builder) head(number, of int) string {
	return fmt.Sprintf("%s-%0*d\n\n", b.spec.Nonce, len(strconv.Itoa(of)), number)
}

func (b *builder) connectivity() []bench.Session {
	s := newSource(b.spec.Seed, streamConnectivity)
	subject := topics(chineseTopics).deal(s)
	text := b.spec.Nonce + "-c\n\n" + "请用三句话介绍一下" + subject.who.deal(s) + "的日常工作。"
	return []bench.Session{{Number: 1, Turns: []bench.Turn{{Text: text, PromptTokens: 0}}}}
}
