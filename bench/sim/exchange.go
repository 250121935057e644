package sim

import (
	"crypto/subtle"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	contentJSON = "application/json; charset=utf-8"
	maxBody     = 64 << 20 // bytes of a request
)

// Request is what [Config.FaultFor] sees of a chat request.
type Request struct {
	Ordinal  int         // 1 for the server's first chat request
	Try      int         // 1 for the first request with this body
	Header   http.Header // as received
	Body     []byte      // as received
	Model    string      // as asked for
	Messages int         // messages in the body
}

// exchange is one chat request on its way through the server.
type exchange struct {
	s        *Server
	w        http.ResponseWriter
	request  *http.Request
	ordinal  int
	body     []byte
	received time.Time
	anchor   time.Time
	sentID   string // X-Client-Request-Id
	id       string // of the chunks
	vendor   vendor

	req    *chatRequest
	model  Model
	known  bool // the model is
	faults []chosen
	tier   string
	delay  time.Duration // before the first token, by a fault

	prompt    prompt
	cached    int
	lengths   lengths
	start     time.Duration
	generated []uint32 // ids of the tokens sent so far, if they will be cached
	holdsSlot bool
	settled   bool
	marks     []Mark
}

// chat answers a chat request.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		return
	}
	defer s.serving.Done()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil { // too long, or the client is gone
		s.answer(w, refusal("InvalidParameter", "The request body could not be read, or has more than %d bytes.", maxBody))
		return
	}
	x := &exchange{s: s, w: w, request: r, body: body, received: time.Now(), ordinal: s.counters.arrive(), vendor: s.vendor}
	x.anchor = x.received
	x.name()
	p := x.plan()
	ok := false
	if p != nil {
		ok = x.play(p)
	}
	x.settle(false)
	if s.cfg.Recorder != nil {
		s.cfg.Recorder(x.record(p, !ok))
	}
}

// name gives the exchange its ids and sets the headers that carry them.
func (x *exchange) name() {
	rng := rand.New(rand.NewPCG(x.s.cfg.Seed, uint64(x.ordinal)))
	x.id = fmt.Sprintf("02%013d%016x%016x%08x", x.received.UnixMilli(), rng.Uint64(), rng.Uint64(), rng.Uint32())
	x.sentID = clip(x.request.Header.Get(headerRequestID), 128)
	if x.sentID == "" {
		x.sentID = fmt.Sprintf("%s%016x%04x", x.received.UTC().Format("20060102150405"), rng.Uint64(), rng.Uint32()&0xffff)
	}
	x.w.Header().Set(headerRequestID, x.sentID)
	x.w.Header().Set(headerLogID, x.id)
}

// plan decides how the request is answered. It is nil if the client left the
// queue.
func (x *exchange) plan() *plan {
	p := x.refused()
	served := p == nil
	if served {
		if p = x.generate(); p == nil {
			return nil
		}
	} else if x.delay > 0 {
		p.change(func(ev event) event { return ev.later(x.delay) })
	}
	for _, f := range x.faults {
		if f.bend != nil && (served || f.always) {
			f.bend(p, f.arg)
		}
	}
	if served && !x.req.stream {
		wholeAnswer(p)
	}
	return p
}

// refuse is the plan that answers with an error.
func (x *exchange) refuse(e *apiError) *plan {
	return bodyPlan(e.status, contentJSON, e.body(x.id))
}

// refused checks the request. It is nil for one that will be served.
func (x *exchange) refused() *plan {
	if !x.s.allows(x.request.Header.Get("Authorization")) {
		return x.refuse(standard("AuthenticationError"))
	}
	var invalid *apiError
	x.req, invalid = parseRequest(x.body)
	x.findModel()
	if err := x.chooseFaults(); err != nil {
		return x.refuse(refusal("InvalidParameter", "The fault that was asked for is not valid: %v.", err))
	}
	if p := x.refusedByFault(); p != nil {
		return p
	}
	if invalid == nil {
		invalid = x.check()
	}
	if invalid != nil {
		return x.refuse(invalid)
	}
	return nil
}

// refusedByFault lets every fault act, and returns the first answer of one.
func (x *exchange) refusedByFault() *plan {
	var first *plan
	for _, f := range x.faults {
		if f.refuse == nil {
			continue
		}
		if p := f.refuse(x, f.arg); first == nil {
			first = p
		}
	}
	return first
}

// check refuses what the vendor or the model doesn't take.
func (x *exchange) check() *apiError {
	if !x.known {
		return refusal("InvalidEndpointOrModel.NotFound", "The model or endpoint %s does not exist or you do not have access to it.", clip(x.req.model, 100)).on("model")
	}
	if e := x.vendor.refuse(x.req); e != nil {
		return e
	}
	x.prompt = x.s.tokenizer.compile(x.req.messages, x.s.cfg.TemplateTokens)
	var e *apiError
	x.lengths, e = measure(x.s.cfg, x.vendor, x.model, x.req, x.prompt.hash)
	return e
}

func (x *exchange) findModel() {
	x.model, _, x.known = x.s.lookup(x.req.model)
	x.tier = "default"
	if x.req.serviceTier == "fast" && x.model.FastTier {
		x.tier = "fast"
	}
}

// chooseFaults collects the faults that apply to this request.
func (x *exchange) chooseFaults() error {
	try := 1
	_, named, _ := x.s.lookup(x.req.model)
	specs := []string{x.vendor.always, x.s.cfg.Fault, named, x.request.Header.Get(HeaderFault)}
	if strings.Contains(strings.Join(specs, ""), "^") || x.s.cfg.FaultFor != nil {
		try = x.s.try(x.body)
	}
	if f := x.s.cfg.FaultFor; f != nil {
		specs = slices.Insert(specs, 2, f(&Request{x.ordinal, try, x.request.Header, x.body, x.req.model, len(x.req.messages)}))
	}
	for _, spec := range specs {
		all, err := parseFaults(spec)
		if err != nil {
			return err
		}
		for _, f := range all {
			if f.when.matches(x.ordinal, try) {
				x.faults = append(x.faults, f)
			}
		}
	}
	return nil
}

// allows reports whether a request with this Authorization header may come in.
func (s *Server) allows(authorization string) bool {
	if s.cfg.APIKey == "" {
		return true
	}
	return subtle.ConstantTimeCompare([]byte(authorization), []byte("Bearer "+s.cfg.APIKey)) == 1
}
