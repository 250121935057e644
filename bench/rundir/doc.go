// Package rundir is what a run leaves on disk and how it is found again: the
// directory and its name, the journal of every attempt, the state that other
// processes watch, the log, and the index of runs.
//
// The journal, requests.jsonl, is the one source of every figure. It is a
// sequence of lines, each a JSON object with a "kind":
//
//	spec     first: what was known before the first request (bench.Header)
//	attempt  as each ends: one attempt at one request (bench.Sample)
//	client   about each second: the client itself (bench.Tick)
//	resume   where a broken run was taken up again (bench.Resume)
//	end      how the run ended (bench.Finish)
//
// It holds every attempt that has ended exactly once: whoever carried the
// attempt out writes its line, with one call of the system, before it goes on.
// What the system has taken survives the death of the process, though not that
// of the machine, within the seconds between two flushes.
//
// A reader passes over kinds that it doesn't know.
package rundir

// The names of the files in a run's directory. Charts are *.png beside them.
const (
	JournalFile = "requests.jsonl"
	CSVFile     = "requests.csv"
	StateFile   = "state.json"
	LogFile     = "run.log"
	ResultFile  = "result.json"
	ReportMD    = "report.md"
	ReportHTML  = "report.html"
)
