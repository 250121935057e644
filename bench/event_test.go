package bench

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

// jittered is a stream of n content events about 20 ms apart, with a role
// chunk before, finish, usage and [DONE] behind, in reads of their own.
func jittered(n int, seed uint64) Events {
	random := rand.New(rand.NewPCG(seed, 0))
	at := time.Duration(random.Int64N(int64(8 * time.Minute)))
	events := Events{{At: at, Kind: EventRole}}
	for range n {
		at += 20*time.Millisecond + time.Duration(random.NormFloat64()*1.5e6)
		events = append(events, Event{At: at, Kind: EventContent, Read: len(events)})
	}
	for _, kind := range []EventKind{EventFinish, EventUsage, EventDone} {
		at += time.Duration(random.Int64N(40_000))
		events = append(events, Event{At: at, Kind: kind, Read: len(events)})
	}
	return events
}

func encodeEvents(t testing.TB, events Events) []byte {
	t.Helper()
	encoded, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

func decodeEvents(t testing.TB, encoded []byte) Events {
	t.Helper()
	var events Events
	if err := json.Unmarshal(encoded, &events); err != nil {
		t.Fatalf("%v in %s", err, encoded)
	}
	return events
}

func TestEventsInJSONAreAsDocumented(t *testing.T) {
	events := Events{
		{At: 0, Kind: EventRole, Read: 0}, {At: 31, Kind: EventContent, Read: 1}, {At: 63, Kind: EventContent, Read: 2},
		{At: 63, Kind: EventContent, Read: 2}, {At: 63 + 20*time.Millisecond, Kind: EventDone, Read: 3},
	}
	// 20 ms is 20000000 = 0 + 8·32 + 11·32² + 2·32³ + 19·32⁴.
	const want = `{"t":"AfgBAgoriT","k":"oc3d","r":[0,[1,2],0,1]}`
	if got := string(encodeEvents(t, events)); got != want {
		t.Errorf("encoded %s, want %s", got, want)
	}
	if got := decodeEvents(t, []byte(want)); !reflect.DeepEqual(got, events) {
		t.Errorf("decoded %v, want %v", got, events)
	}
}

func TestEventsKeepEveryNanosecond(t *testing.T) {
	for seed := range uint64(50) {
		events := jittered(512, seed)
		if got := decodeEvents(t, encodeEvents(t, events)); !reflect.DeepEqual(got, events) {
			t.Fatalf("seed %d: decoded events differ", seed)
		}
	}
}

func TestEventsKeepTimesThatRunBackwards(t *testing.T) {
	events := Events{
		{At: math.MaxInt64, Kind: EventContent, Read: 7}, {At: math.MinInt64, Kind: EventContent, Read: 2},
		{At: -1, Kind: EventReasoning, Read: 2}, {At: 0, Kind: EventUsage, Read: 9},
	}
	if got := decodeEvents(t, encodeEvents(t, events)); !reflect.DeepEqual(got, events) {
		t.Errorf("decoded %v, want %v", got, events)
	}
}

func TestFiguresOfAReadBackSampleEqualThoseOfTheLiveOne(t *testing.T) {
	tokens := 512
	events := jittered(512, 3)
	live := &Sample{
		Outcome: Succeeded, Start: MarkAt(events[0].At - 317*time.Millisecond - 123), Events: events, Usage: &Usage{Completion: &tokens},
		FirstToken: MarkAt(events[1].At), LastToken: MarkAt(events[512].At), End: MarkAt(events[515].At),
	}
	encoded, err := json.Marshal(live)
	if err != nil {
		t.Fatal(err)
	}
	var back Sample
	if err := json.Unmarshal(encoded, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(live.ITL(), back.ITL()) {
		t.Error("ITL differs")
	}
	for _, rule := range []Rule{RuleOwn, RuleVLLM, RuleSGLang, RuleGuideLLM, RuleEvalscope} {
		want, _ := rule.Score(live)
		if got, defined := rule.Score(&back); !defined || got != want {
			t.Errorf("%s: %+v, want %+v", rule, got, want)
		}
	}
}

func TestAnEventTakesAtMostFiveBytesAndAQuarter(t *testing.T) {
	bytes, events := 0, 0
	for seed := range uint64(100) {
		stream := jittered(512, seed)
		bytes += len(encodeEvents(t, stream))
		events += len(stream)
	}
	perEvent := float64(bytes) / float64(events)
	t.Logf("%.3f bytes per event", perEvent)
	if perEvent > 5.25 {
		t.Errorf("%.3f bytes per event", perEvent)
	}
}

func TestMalformedEventsAreErrors(t *testing.T) {
	for name, text := range map[string]string{
		"no columns":             `[]`,
		"a time without its end": `{"t":"g","k":"c","r":[0]}`,
		"a digit not in base64":  `{"t":"A.","k":"c2","r":[[0,2]]}`,
		"a time above 64 bits":   `{"t":"ggggggggggggQ","k":"c","r":[0]}`,
		"more kinds than times":  `{"t":"A","k":"cc","r":[0]}`,
		"a forged count":         `{"t":"A","k":"c999999999999","r":[0]}`,
		"a count out of range":   `{"t":"A","k":"c99999999999999999999999","r":[0]}`,
		"a zero as a kind":       `{"t":"A","k":"0c","r":[0]}`,
		"fewer kinds than times": `{"t":"AA","k":"c","r":[[0,2]]}`,
		"an unknown kind":        `{"t":"A","k":"z","r":[0]}`,
		"more reads than times":  `{"t":"A","k":"c","r":[0,1]}`,
		"a forged read count":    `{"t":"A","k":"c","r":[[0,9000000000000000000]]}`,
		"a negative read count":  `{"t":"A","k":"c","r":[[0,-1],0]}`,
		"fewer reads than times": `{"t":"AA","k":"c2","r":[0]}`,
		"a read that is a word":  `{"t":"A","k":"c","r":["x"]}`,
	} {
		var events Events
		if err := json.Unmarshal([]byte(text), &events); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestDecodingStopsAtTheMostEventsAllowed(t *testing.T) {
	if events, err := decodeTimes(strings.Repeat("A", maxEvents+1)); err == nil {
		t.Errorf("%d events were decoded", len(events))
	}
}

func TestAnUndefinedKindIsWrittenAsOther(t *testing.T) {
	events := Events{{Kind: '"'}, {Kind: 0}, {Kind: '5'}, {Kind: EventOther}}
	if got, want := string(encodeEvents(t, events)), `{"t":"AAAA","k":"?4","r":[[0,4]]}`; got != want {
		t.Errorf("encoded %s, want %s", got, want)
	}
}

func FuzzEventsDecode(f *testing.F) {
	f.Add([]byte(`{"t":"AfgBAgoriT","k":"oc3d","r":[0,[1,2],0,1]}`))
	f.Add([]byte(`{"t":"A","k":"c999999999","r":[[0,999999999]]}`))
	f.Add(encodeEvents(f, jittered(20, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var events Events
		if json.Unmarshal(data, &events) != nil {
			return
		}
		if len(events) > len(data) {
			t.Fatalf("%d events of %d bytes", len(events), len(data))
		}
		if again := decodeEvents(t, encodeEvents(t, events)); len(events) > 0 && !reflect.DeepEqual(again, events) {
			t.Fatalf("decoded %v, then %v", events, again)
		}
	})
}

func FuzzEventsRoundTrip(f *testing.F) {
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x00\x01"))
	kinds := []EventKind{EventRole, EventReasoning, EventContent, EventTool, EventRefusal, EventFinish, EventUsage, EventDone, EventError, EventComment, EventOther}
	f.Fuzz(func(t *testing.T, data []byte) {
		var events Events
		for ; len(data) >= 10; data = data[10:] {
			at := int64(0)
			for _, b := range data[:8] {
				at = at<<8 | int64(b)
			}
			events = append(events, Event{time.Duration(at), kinds[int(data[8])%len(kinds)], int(int8(data[9]))})
		}
		if got := decodeEvents(t, encodeEvents(t, events)); len(events) > 0 && !reflect.DeepEqual(got, events) {
			t.Fatalf("decoded %v, want %v", got, events)
		}
	})
}

func BenchmarkEventsEncode(b *testing.B) {
	events := jittered(512, 1)
	for b.Loop() {
		if _, err := events.MarshalJSON(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEventsDecode(b *testing.B) {
	encoded := encodeEvents(b, jittered(512, 1))
	for b.Loop() {
		decodeEvents(b, encoded)
	}
}
