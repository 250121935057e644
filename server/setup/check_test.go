package setup

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/arkcli"
)

// TestMain lets the test binary be started as servers, good and bad.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "mcp" {
		os.Exit(serve(os.Getenv("SETUP_TEST_SERVER")))
	}
	os.Exit(m.Run())
}

// serve plays a server.
func serve(kind string) int {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		switch text := lines.Text(); {
		case kind == "dead":
			return 3
		case kind == "noisy":
			fmt.Println("hello!")
		case strings.Contains(text, "initialize\""):
			fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"llm-bench","version":"9"}}}`)
		case strings.Contains(text, "tools/list") && kind == "empty":
			fmt.Println(`{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)
		case strings.Contains(text, "tools/list") && kind == "refusing":
			fmt.Println(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no"}}`)
		case strings.Contains(text, "tools/list"):
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/x"}` + "\n" + `{"jsonrpc":"2.0","id":2,"result":{"tools":[{},{}]}}`)
		}
	}
	return 0
}

type arkFails struct{ err error }

func (a arkFails) Login(context.Context, string) (arkcli.Login, error) { return arkcli.Login{}, a.err }

func TestATrialStartsTheServerAndAsksForItsTools(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	missing := &arkcli.Error{Problem: arkcli.CLIMissing, Message: "arkcli is required", Fix: []string{arkcli.InstallCommand}}
	r, err := Run(t.Context(), Options{Check: true, Binary: self, Home: t.TempDir(), Ark: arkFails{missing}})
	c := r.Check
	if err != nil || r.Outcome != Checked || c.Server != "llm-bench 9" || c.Tools != 2 || c.ArkProblem != "arkcli is required" || !strings.Contains(c.ArkFix, arkcli.InstallCommand) {
		t.Errorf("it gave %+v, %+v, %v", r, c, err)
	}
	var page strings.Builder
	if err := r.Print(&page); err != nil || !strings.Contains(page.String(), "with 2 tools\nArk CLI: arkcli is required; run `npm install") {
		t.Errorf("it prints %q, %v", page.String(), err)
	}
}

func TestATrialNamesWhatIsWrongWithTheServer(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{
		"dead": "initialize: it ended without an answer", "noisy": `a line is no JSON: "hello!"`, "empty": "there are no tools", "refusing": "tools/list: no",
	} {
		t.Setenv("SETUP_TEST_SERVER", kind)
		if _, err := Run(t.Context(), Options{Check: true, Binary: self, Home: t.TempDir()}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a server that is %s gave %v", kind, err)
		}
	}
	if _, err := Run(t.Context(), Options{Check: true, Binary: "/nothing/here", Home: t.TempDir()}); err == nil {
		t.Error("a program that isn't there gave no error")
	}
}

// reply answers a request when it is asked for, and notes what had been sent by then.
type reply struct {
	sent    *strings.Builder
	answers []string
	before  []string
}

func (r *reply) Read(p []byte) (int, error) {
	r.before = append(r.before, r.sent.String())
	if len(r.answers) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.answers[0])
	r.answers = r.answers[1:]
	return n, nil
}

func TestATrialAsksForToolsOnlyAfterTheServersFirstAnswer(t *testing.T) {
	var sent strings.Builder
	server := &reply{sent: &sent, answers: []string{
		`{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"llm-bench","version":"9"}}}` + "\n",
		`{"jsonrpc":"2.0","id":2,"result":{"tools":[{}]}}` + "\n",
	}}
	c := &Check{}
	if err := c.converse(&sent, bufio.NewScanner(server), time.Now()); err != nil || c.Tools != 1 {
		t.Fatalf("it gave %+v, %v", c, err)
	}
	if server.before[0] != greeting || server.before[1] != greeting+question {
		t.Errorf("before each answer had been sent: %q", server.before)
	}
}
