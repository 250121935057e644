package bench

// Role is the author of a message.
type Role string

// The roles of a conversation. No workload sends a system prompt.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one message of a conversation. Its content is two texts joined,
// so that sessions with one prefix share its memory.
type Message struct {
	Role   Role
	Prefix string // shared with other sessions; often empty
	Text   string
}

// Content is the message's whole text.
func (m Message) Content() string { return m.Prefix + m.Text }

// Turn is one user message of a session, and the request that sends it with
// all that came before.
type Turn struct {
	Prefix string // text shared with other sessions; often empty
	Text   string
	// PromptTokens is the prompt length asked for, of the whole request, in the
	// server's tokens. In later turns of a session it leaves out the answers,
	// whose length nobody knows beforehand. 0: not stated.
	PromptTokens int
}

// Session is an ordered chain of turns over a growing history: turn i+1 is
// sent when turn i has ended, and begins with all of it. Connectivity is one
// session of one turn, prefix reuse N sessions of one turn, multi-turn M
// sessions of T turns.
type Session struct {
	Number  int // from 1
	Prefix  int // number of the shared prefix, from 1; 0 where there is none
	Ordinal int // this is the n-th session of its prefix; 0 where there is none
	Turns   []Turn
}

// EmptyAnswer goes into the history in the place of an answer without content
// (the output cap was reached while the model was thinking).
const EmptyAnswer = "OK"

// Request is one attempt at one turn, ready to be sent.
type Request struct {
	Target   string
	Point    int  // of a sweep, from 1; 0 where there is none
	Intended Mark // when it was to start, in open loop
	Session  int
	Turn     int // from 1
	Attempt  int // from 1
	Prefix   int
	Ordinal  int
	Planned  int // prompt tokens asked for; 0 where unknown
	Messages []Message
}

// Identify writes what the request is into the sample that measures it.
func (r *Request) Identify(s *Sample) {
	s.Target, s.Session, s.Turn, s.Attempt = r.Target, r.Session, r.Turn, r.Attempt
	s.Point, s.Intended = r.Point, r.Intended
	s.Prefix, s.Ordinal, s.PlannedPrompt = r.Prefix, r.Ordinal, r.Planned
}
