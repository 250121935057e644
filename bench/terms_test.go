package bench_test

import (
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

func TestTermsTakeThePlaceOfWhatTheySay(t *testing.T) {
	spec := bench.NewSpec(bench.Prefix, bench.Standard)
	none := bench.Terms{}
	same := spec
	if none.Apply(&same); same != spec {
		t.Errorf("no terms change the spec to %+v", same)
	}
	terms := bench.Terms{MaxConcurrency: 3, Limits: bench.Limits{Idle: time.Second}, Prices: bench.Prices{In: 1, Out: 2}}
	want := spec
	want.MaxConcurrency, want.Limits.Idle, want.Prices = 3, time.Second, terms.Prices
	if terms.Apply(&spec); spec != want {
		t.Errorf("spec %+v, want %+v", spec, want)
	}
}

func TestALimitOfConcurrencyLowersAndNeverRaises(t *testing.T) {
	spec := bench.NewSpec(bench.Prefix, bench.Standard)
	terms := bench.Terms{MaxConcurrency: 50}
	if terms.Apply(&spec); spec.MaxConcurrency != 5 {
		t.Errorf("concurrency %d, want 5", spec.MaxConcurrency)
	}
	spec.MaxConcurrency = 51
	err := terms.Check(&spec)
	if want := "max_concurrency is 51: allowed is 1 to 50, the limit of the target"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
