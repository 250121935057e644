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
	// seed, and one calibration, whose nonces are as many letters. (A nonce is
	// part of the length, and digits count for more than letters.)
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
	costs := localCosts()
	if spec.LengthUnit == bench.LengthServer && spec.Scenario != bench.Connectivity && !opts.Corpus.replays(spec) {
		if opts.Calibration == nil {
			return nil, ErrNotCalibrated
		}
		if err := opts.Calibration.check(); err != nil {
			return nil, err
		}
		costs = opts.Calibration.costs()
	}
	b := generating(spec, costs)
	b.draw(opts.Corpus)
	plan, err := b.plan()
	if err != nil {
		return nil, err
	}
	if missing := b.missing(); missing != nil {
		if !opts.AllowReuse {
			return nil, missing
		}
		plan.Reused = true
	}
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
		_, _ = io.WriteString(h, strconv.Itoa(len(text))+":")
		_, _ = io.WriteString(h, text)
	}
	for i := range sessions {
		for _, turn := range sessions[i].Turns {
			write(turn.Prefix)
			write(turn.Text)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// The instruction that ends each measured message, so that answers reach the
// output cap.
const (
	instructionChinese = "请结合以上内容，用中文写一篇尽可能详细的长文，逐段展开，不要提前结束。"
	instructionEnglish = "Drawing on all of the above, write the longest and most detailed account you can, part by part, and do not stop early."
)

// texter writes pieces of text.
type texter interface {
	// compose returns a text and what is left of its target. It fails with a
	// shortfall only.
	compose(o order) (string, micro, error)
}

// builder makes sessions.
type builder struct {
	spec        *bench.Spec
	costs       costs
	lang        string
	instruction string
	first       texter // of prefixes and first turns
	own         texter // of suffixes and follow-ups

	corpus *Corpus
	drawn  *excerpts // of the corpus, or nil
	lacks  int       // recorded conversations
}

// generating returns a builder that generates text.
func generating(spec *bench.Spec, c costs) *builder {
	return &builder{
		spec: spec, costs: c, lang: "zh", instruction: instructionChinese,
		first: newComposer(spec.Seed, streamMaterial, c.meter),
		own:   newComposer(spec.Seed, streamOwn, c.meter),
	}
}

// draw makes the builder draw its text from a corpus, where there is one.
func (b *builder) draw(c *Corpus) {
	if c == nil {
		return
	}
	b.corpus, b.lang = c, c.lang()
	if b.lang == "en" {
		b.instruction = instructionEnglish
	}
	b.drawn = newExcerpts(c, b.costs.meter)
	b.first, b.own = b.drawn, b.drawn
}

// missing is what the corpus lacks, or nil.
func (b *builder) missing() error {
	switch {
	case b.lacks > 0:
		return &CorpusTooSmall{Name: b.corpus.name, Conversations: b.lacks}
	case b.drawn != nil && b.drawn.over > 0:
		return &CorpusTooSmall{Name: b.corpus.name, Tokens: b.drawn.over.ceil()}
	}
	return nil
}

func (b *builder) plan() (*Plan, error) {
	sessions, err := b.sessions()
	if err != nil {
		return nil, err
	}
	warmup, err := b.warmup()
	return &Plan{
		Sessions: sessions, Warmup: warmup, Lang: b.lang,
		InputHash: hash(sessions, ""), MaterialHash: hash(sessions, b.spec.Nonce),
	}, err
}

func (b *builder) sessions() ([]bench.Session, error) {
	switch b.spec.Scenario {
	case bench.Prefix:
		return b.prefixSessions()
	case bench.Multiturn:
		if b.corpus.replays(b.spec) {
			return b.replay(), nil
		}
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
	return []bench.Session{{Number: 1, Turns: []bench.Turn{{Text: text}}}}
}
