package job

import (
	"context"
	"sync"

	"github.com/llm-bench/llm-bench/bench"
)

// widest is the spec at the highest concurrency of its points.
func (o *Order) widest() *bench.Spec {
	spec := o.Spec
	for _, p := range o.loads() {
		spec.MaxConcurrency = max(spec.MaxConcurrency, p.MaxConcurrency)
	}
	return &spec
}

// send carries out the points one after the other, each against all targets
// side by side.
func (r *running) send(ctx context.Context, finish *bench.Finish) {
	order := &r.job.order
	r.prepare(ctx, finish)
	r.phase("measuring")
	for i, point := range order.loads() {
		finish.End = r.point(ctx, i, point)
		if finish.End.Ending != bench.EndComplete {
			return
		}
	}
	if order.Spec.Scenario == bench.Connectivity {
		finish.Probes = r.probe(ctx)
	}
}

// point sends one point's workload to every target; their starts interleave.
func (r *running) point(ctx context.Context, i int, point bench.Point) bench.End {
	order := &r.job.order
	spec := point.Apply(order.Spec)
	ends := make([]bench.End, len(r.clients))
	var sending sync.WaitGroup
	for t, target := range order.targets() {
		sessions := r.sessions(target.Label, i)
		if len(sessions) == 0 {
			ends[t] = bench.End{Ending: bench.EndComplete}
			continue
		}
		own := spec
		target.Terms.Apply(&own)
		load := &bench.Load{
			Target: target.Label, Sessions: sessions, Concurrency: own.MaxConcurrency, Arrivals: spec.Arrivals(len(sessions)),
			Caller: r.metered(r.clients[t], &target), Clock: r.clock, Budget: r.budget,
		}
		if len(order.Points) > 0 {
			load.Point = i + 1
		}
		sending.Go(func() { ends[t] = bench.Run(ctx, load, r.observe) })
	}
	sending.Wait()
	return worst(ends)
}

// sessions are those that a target is to be sent at the i-th load, from 0: all
// of them, or those that a broken run lacks.
func (r *running) sessions(label string, i int) []bench.Session {
	if a := r.job.again; a != nil {
		return a.missing[r.job.order.lot(label, i)]
	}
	return r.plans[i].Sessions
}

// worst is the ending that says most of what kept the run from completing.
func worst(ends []bench.End) bench.End {
	end := ends[0]
	for _, e := range ends[1:] {
		if end.Ending == bench.EndComplete {
			end = e
		}
	}
	return end
}
