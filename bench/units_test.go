package bench

import (
	"encoding/json"
	"testing"
	"time"
)

func TestMillisecondsKeepNanosecondsFor26Days(t *testing.T) {
	for _, d := range []time.Duration{0, 1, -1, 999_999, time.Millisecond, 20*time.Millisecond + 1, time.Hour + 7, 26*24*time.Hour - 1, -26*24*time.Hour + 1} {
		if got := FromMilliseconds(Milliseconds(d)); got != d {
			t.Errorf("%d ns came back as %d ns", d, got)
		}
	}
}

func TestMarksInJSONAreMillisecondsOrNull(t *testing.T) {
	for want, mark := range map[string]Mark{
		"null": {}, "0": MarkAt(0), "1500.000001": MarkAt(1500*time.Millisecond + 1), "-2": MarkAt(-2 * time.Millisecond),
	} {
		encoded, err := json.Marshal(mark)
		if err != nil || string(encoded) != want {
			t.Errorf("encoded %s, %v; want %s", encoded, err, want)
		}
		back := MarkAt(99)
		if err := json.Unmarshal(encoded, &back); err != nil || back != mark {
			t.Errorf("%s came back as %v, %v", want, back, err)
		}
	}
}

func TestAMarkNotReachedIsLeftOutOfJSONAndOneAtZeroIsNot(t *testing.T) {
	encoded, err := json.Marshal(struct {
		Reached Mark `json:"reached,omitzero"`
		Missed  Mark `json:"missed,omitzero"`
	}{Reached: MarkAt(0)})
	if want := `{"reached":0}`; err != nil || string(encoded) != want {
		t.Errorf("encoded %s, %v; want %s", encoded, err, want)
	}
}

func TestSinceIsUndefinedUnlessBothMarksWereReached(t *testing.T) {
	a, b := MarkAt(2*time.Second), MarkAt(5*time.Second)
	if d, ok := b.Since(a); d != 3*time.Second || !ok {
		t.Errorf("Since = %v, %v", d, ok)
	}
	for _, pair := range [][2]Mark{{a, {}}, {{}, a}, {{}, {}}} {
		if d, ok := pair[0].Since(pair[1]); d != 0 || ok {
			t.Errorf("Since = %v, %v; want undefined", d, ok)
		}
	}
}

func TestTheClockMeasuresFromAMonotonicReading(t *testing.T) {
	clock := NewClock()
	// Round(0) strips the monotonic reading, and == sees that.
	if clock.Began() == clock.Began().Round(0) {
		t.Error("the clock began with a wall time, which can be set back")
	}
	if at := clock.Of(clock.Began().Add(time.Second)).At(); at != time.Second {
		t.Errorf("one second after the start is at %v", at)
	}
}

func TestMillisRefuseWhatIsNoNumber(t *testing.T) {
	for _, text := range []string{`"1"`, `{}`, `[1]`, `true`} {
		var m Millis
		if json.Unmarshal([]byte(text), &m) == nil {
			t.Errorf("%s was taken as %v", text, m)
		}
		var mark Mark
		if json.Unmarshal([]byte(text), &mark) == nil {
			t.Errorf("%s was taken as the mark %v", text, mark)
		}
	}
}

func FuzzMillisRoundTrip(f *testing.F) {
	f.Add(int64(20_000_001))
	f.Add(int64(-1))
	f.Fuzz(func(t *testing.T, ns int64) {
		const days26 = int64(26 * 24 * time.Hour)
		want := Millis(ns % days26)
		encoded, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Millis
		if err := json.Unmarshal(encoded, &got); err != nil || got != want {
			t.Fatalf("%d ns came back as %d ns, %v", want, got, err)
		}
	})
}

func FuzzMarkDecode(f *testing.F) {
	f.Add([]byte("null"))
	f.Add([]byte("1e300"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m Mark
		if json.Unmarshal(data, &m) == nil && !m.Taken() && string(data) != "null" {
			var null any
			if json.Unmarshal(data, &null); null != nil {
				t.Fatalf("%s is no mark", data)
			}
		}
	})
}
