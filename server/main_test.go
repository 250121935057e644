package server

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// TestMain lets the test binary be started as an MCP server. Workers are the
// program itself, built once and without the race detector, under which they
// draw charts for seconds.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "mcp" {
		os.Exit(codeOf(serveAsProgram()))
	}
	flag.Bool("update", false, "rewrite golden files")
	flag.Parse()
	// Processes with the race detector sleep a second before they end.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// These tests wait more than they compute.
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = flag.Set("test.parallel", "6")
	}
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(filepath.Dir(built))
	}
	os.Exit(code)
}

var (
	building sync.Once
	built    string // path of the program; "" before a test has asked for it
)

// program is the path of llm-bench.
func program(t testing.TB) string {
	t.Helper()
	building.Do(func() {
		folder, err := os.MkdirTemp("", "llm-bench-server") //nolint:usetesting // shared by all tests, removed by TestMain
		check(t, err)
		built, err = benchtest.BuildProgram(folder, "..")
		check(t, err)
	})
	if built == "" {
		t.Fatal("the program could not be built")
	}
	return built
}

func codeOf(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// envProgram tells a server under test which program its workers are.
const envProgram = "TEST_PROGRAM"

// envDefect makes a server under test one with a defect.
const envDefect = "TEST_DEFECT"

// arkFloods is an Ark with a defect, of which it has much to say.
type arkFloods struct{ arkFake }

func (arkFloods) Login(context.Context, string) (arkcli.Login, error) {
	for range 3000 {
		fmt.Fprintln(os.Stderr, strings.Repeat("words of a defect ", 5))
	}
	panic("a defect")
}

// serveAsProgram is the command mcp; arguments after it are those of the command.
func serveAsProgram() error {
	flags := flag.NewFlagSet("mcp", flag.ExitOnError)
	readOnly := flags.Bool("read-only", false, "")
	logFile := flags.String("log-file", "", "")
	if err := flags.Parse(os.Args[2:]); err != nil {
		return err
	}
	index, err := rundir.DefaultIndex()
	if err != nil {
		return err
	}
	var ark Ark = arkcli.New(arkcli.Options{})
	if os.Getenv(envDefect) != "" {
		ark = &arkFloods{}
	}
	s := New(Deps{Ark: ark, Index: index, Executable: os.Getenv(envProgram), Version: "test", ReadOnly: *readOnly, LogFile: *logFile})
	return s.Serve(context.Background(), os.Stdin, os.Stdout)
}

func update() bool { return flag.Lookup("update").Value.String() == "true" }

// canary stands for an API key that must show nowhere.
const canary = "sk-LEAKTEST-0123456789abcdef"

// bed is a server under test with its own home, and an endpoint to measure.
type bed struct {
	*Server
	t        *testing.T
	env      map[string]string
	home     string
	reports  string
	endpoint *sim.Server
	url      string
	client   *client.Client
}

type options struct {
	ark      Ark
	sim      sim.Config
	readOnly bool
}

func newBed(t *testing.T, o options) *bed {
	t.Helper()
	root := t.TempDir()
	b := &bed{t: t, home: filepath.Join(root, "home"), reports: filepath.Join(root, "报告 of runs")}
	for _, folder := range []string{b.home, b.reports} {
		check(t, os.Mkdir(folder, 0o755))
	}
	if o.sim.BaseTTFT == 0 {
		o.sim.BaseTTFT, o.sim.PrefillPer1000, o.sim.TPOT = 2*time.Millisecond, sim.Zero, sim.Zero
	}
	o.sim.APIKey = canary
	var err error
	b.endpoint, err = sim.New(o.sim)
	check(t, err)
	front := httptest.NewServer(b.endpoint)
	t.Cleanup(func() { front.Close(); _ = b.endpoint.Close() })
	b.url = front.URL + "/api/v3"
	b.env = map[string]string{"BED_API_KEY": canary, "HOME": b.home}
	b.Server = New(Deps{
		Ark: o.ark, Index: rundir.Index{Home: filepath.Join(b.home, ".llm-bench")}, Executable: program(t), Version: "test", ReadOnly: o.readOnly,
		Env: func(name string) (string, bool) { v, ok := b.env[name]; return v, ok }, WorkDir: b.home,
	})
	b.client, err = client.NewInProcessClient(b.mcp)
	check(t, err)
	check(t, b.client.Start(t.Context()))
	_, err = b.client.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{ProtocolVersion: "2025-06-18", ClientInfo: mcp.Implementation{Name: "test", Version: "1"}}})
	check(t, err)
	t.Cleanup(func() { endRuns(b.deps.Index); _ = b.client.Close() })
	return b
}

// endRuns ends the workers that a test leaves behind.
func endRuns(index rundir.Index) {
	entries, _ := index.List(0)
	for _, e := range entries {
		state, err := job.Cancel(context.Background(), e.Dir)
		for range 200 {
			if err != nil || state.PID == os.Getpid() || !state.Alive() {
				break
			}
			time.Sleep(10 * time.Millisecond) // it closes its files
		}
	}
}

// args are those of a run on the bed's endpoint, with more of them in pairs.
func (b *bed) args(more ...any) map[string]any {
	a := map[string]any{"model": "doubao-seed-2-0-mini-260428", "base_url": b.url, "api_key_env": "BED_API_KEY", "dialect": "ark", "output_dir": b.reports}
	for i := 0; i < len(more); i += 2 {
		a[more[i].(string)] = more[i+1]
	}
	return a
}

// quick are the arguments of a run that takes no time.
func (b *bed) quick(more ...any) map[string]any {
	return b.args(append([]any{"preset", "quick", "prefix_len", 200, "suffix_len", 100, "max_output_tokens", 4}, more...)...)
}

// slow are those of one that takes about a minute on an endpoint of 200 ms a token.
func (b *bed) slow(more ...any) map[string]any {
	return b.args(append([]any{"preset", "quick", "num_requests", 60, "max_output_tokens", 20, "prefix_len", 200, "suffix_len", 100}, more...)...)
}

func slowSim() sim.Config {
	return sim.Config{BaseTTFT: 100 * time.Millisecond, PrefillPer1000: sim.Zero, TPOT: 100 * time.Millisecond}
}

// call calls a tool and checks what holds for every result.
func (b *bed) call(name string, args map[string]any) answer {
	b.t.Helper()
	a, err := b.try(b.t.Context(), name, args)
	if err != nil {
		b.t.Fatalf("%s: %v", name, err)
	}
	return a
}

func (b *bed) try(ctx context.Context, name string, args map[string]any) (answer, error) {
	b.t.Helper()
	result, err := b.client.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: name, Arguments: args}})
	if err != nil {
		return answer{}, err
	}
	return b.read(name, result), nil
}

// read checks the parts of a result against each other and its tool's schema.
func (b *bed) read(name string, result *mcp.CallToolResult) answer {
	b.t.Helper()
	structured, err := json.Marshal(result.StructuredContent)
	check(b.t, err)
	words, ok := result.Content[0].(mcp.TextContent)
	if !ok {
		b.t.Fatalf("%s: content is %v", name, result.Content)
	}
	a := answer{isError: result.IsError, text: words.Text}
	for _, extra := range result.Content[1:] {
		a.links = append(a.links, extra.(mcp.ResourceLink))
	}
	check(b.t, json.Unmarshal(structured, &a.fields))
	var again map[string]any
	check(b.t, json.Unmarshal([]byte(words.Text), &again))
	if got, _ := json.Marshal(again); string(got) != string(mustJSON(b.t, a.fields)) {
		b.t.Errorf("%s: text and structured content differ:\n%s\n%s", name, words.Text, structured)
	}
	if strings.Contains(words.Text, `\u00`) {
		b.t.Errorf("%s: signs are spelled as numbers in %s", name, words.Text)
	}
	if size := len(words.Text) + len(mustJSON(b.t, a.links)); size > 8192 {
		b.t.Errorf("%s: the result has %d bytes", name, size)
	}
	validate(b.t, b.schemaOf(name), a.fields)
	if a.str("summary") == "" || a.str("next_step") == "" {
		b.t.Errorf("%s: no summary or next_step in %s", name, words.Text)
	}
	return a
}

func (b *bed) schemaOf(name string) json.RawMessage {
	for _, d := range b.definitions() {
		if d.name == name {
			return d.output
		}
	}
	b.t.Fatalf("there is no tool %s", name)
	return nil
}

// answer is the result of a call.
type answer struct {
	isError bool
	text    string
	fields  map[string]any
	links   []mcp.ResourceLink
}

func (a answer) str(name string) string { s, _ := a.fields[name].(string); return s }

func (a answer) num(name string) float64 { n, _ := a.fields[name].(float64); return n }

func (a answer) yes(name string) bool { v, _ := a.fields[name].(bool); return v }

func (a answer) code() string {
	f, _ := a.fields["error"].(map[string]any)
	code, _ := f["code"].(string)
	return code
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	check(t, err)
	return text
}

// arkFake is an Ark that answers what a test sets.
type arkFake struct {
	login      arkcli.Login
	loginErr   error
	resolution arkcli.Resolution
	resolveErr error
	target     bench.Target
	targetErr  error
}

func (f *arkFake) Login(context.Context, string) (arkcli.Login, error) { return f.login, f.loginErr }

func (f *arkFake) Resolve(context.Context, string, string) (arkcli.Resolution, error) {
	return f.resolution, f.resolveErr
}

func (f *arkFake) Target(context.Context, string, string) (bench.Target, []string, error) {
	return f.target, nil, f.targetErr
}
