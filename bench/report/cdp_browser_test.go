//go:build browser

package report

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// browser is a headless Chromium, spoken to over a pair of pipes in the
// protocol of its developer tools: JSON messages that end in a zero byte.
type browser struct {
	t       *testing.T
	in      io.Writer
	session string

	mu      sync.Mutex
	n       int
	pending map[int]chan reply
	events  []browserEvent
	arrived *sync.Cond
}

type reply struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

type browserEvent struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// startBrowser starts the browser that CHROMIUM names, else chromium from the path.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	name := os.Getenv("CHROMIUM")
	if name == "" {
		name = "chromium"
	}
	requests, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, replies, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir())
	cmd.ExtraFiles = []*os.File{requests, replies}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v (install chromium, or name it in CHROMIUM)", name, err)
	}
	_, _ = requests.Close(), replies.Close()
	b := &browser{t: t, in: in, pending: map[int]chan reply{}}
	b.arrived = sync.NewCond(&b.mu)
	t.Cleanup(func() {
		_ = in.Close() // the browser ends with its pipe
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	go b.listen(out)
	b.attach()
	return b
}

func (b *browser) listen(out io.Reader) {
	messages := bufio.NewReaderSize(out, 1<<20)
	for {
		text, err := messages.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID int `json:"id"`
			browserEvent
			reply
		}
		if json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m) != nil {
			continue
		}
		b.mu.Lock()
		if waiting := b.pending[m.ID]; m.ID > 0 && waiting != nil {
			waiting <- m.reply
		} else {
			b.events = append(b.events, m.browserEvent)
			b.arrived.Broadcast()
		}
		b.mu.Unlock()
	}
}

// call sends a command and decodes its result, where into is not nil.
func (b *browser) call(method string, params map[string]any, into any) {
	b.t.Helper()
	b.mu.Lock()
	b.n++
	id, done := b.n, make(chan reply, 1)
	b.pending[id] = done
	b.mu.Unlock()
	message := map[string]any{"id": id, "method": method, "params": params}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	select {
	case r := <-done:
		if r.Error != nil {
			b.t.Fatalf("%s: %s", method, r.Error.Message)
		}
		if into != nil {
			if err := json.Unmarshal(r.Result, into); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(30 * time.Second):
		b.t.Fatalf("%s: no answer", method)
	}
}

// attach opens a tab and speaks to it from then on.
func (b *browser) attach() {
	var target struct {
		ID string `json:"targetId"`
	}
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct {
		ID string `json:"sessionId"`
	}
	b.call("Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &session)
	b.session = session.ID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
}

// open shows a file and waits until it is loaded.
func (b *browser) open(path string, width, height int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.mu.Lock()
	b.events = nil
	b.mu.Unlock()
	b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	b.wait("Page.loadEventFired")
}

func (b *browser) wait(method string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		for _, e := range b.events {
			if e.Method == method {
				return
			}
		}
		b.arrived.Wait()
	}
}

// seen lists the parameters of the events of one kind since the page was opened.
func (b *browser) seen(method string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []string
	for _, e := range b.events {
		if e.Method == method {
			all = append(all, string(e.Params))
		}
	}
	return all
}

// eval runs an expression in the page and gives its value as text.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var r struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string          `json:"text"`
			Exception json.RawMessage `json:"exception"`
		} `json:"exceptionDetails"`
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &r)
	if r.Exception != nil {
		b.t.Fatalf("%s: %s %s", expression, r.Exception.Text, r.Exception.Exception)
	}
	return strings.TrimSpace(fmt.Sprint(r.Result.Value))
}

// key presses a key.
func (b *browser) key(name string) {
	b.t.Helper()
	code := map[string]int{"ArrowRight": 39, "End": 35, "Home": 36, "Escape": 27, "Tab": 9}[name]
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code}, nil)
	}
}

// picture takes a picture of the whole page, in the style asked for.
func (b *browser) picture(path string) {
	b.t.Helper()
	var shot struct {
		Data string `json:"data"`
	}
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &shot)
	b.store(path, shot.Data)
}

func (b *browser) store(path, data string) []byte {
	b.t.Helper()
	content, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		b.t.Fatal(err)
	}
	if path != "" {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
	return content
}
