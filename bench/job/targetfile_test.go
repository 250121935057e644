package job

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// refusals are the faults of a target file, one a line, without the file's name.
func refusals(text string) string {
	_, err := parseTarget("t.yaml", []byte(text))
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "t.yaml:", "")
}

const wholeFile = `# one endpoint
label: Qwen on our cluster
base_url: "http://10.0.0.7:8000/v1/chat/completions"
model: Qwen/Qwen3-235B-A22B
api_key_env: CLUSTER_TOKEN
dialect:
  name: vllm
  thinking:
    disabled: {chat_template_kwargs: {enable_thinking: false}}
    auto: {chat_template_kwargs: {}}
    enabled: null
  output_cap: max_completion_tokens
  extra_body:
    ignore_eos: null
    priority: 3
    guided: [1, 2.5, true, text]
  extra_headers:
    x-route: blue
limits:
  max_concurrency: 8
  connect_timeout: 2s
  timeout: 5m
prices: {in: 0.8, cached: 0, out: 2, currency: CNY}
`

func TestATargetFileSaysEverythingOfATarget(t *testing.T) {
	got, err := parseTarget("t.yaml", []byte(wholeFile))
	if err != nil {
		t.Fatal(err)
	}
	want := bench.Target{
		Label: "Qwen on our cluster", BaseURL: "http://10.0.0.7:8000/v1", Model: "Qwen/Qwen3-235B-A22B", KeyEnv: "CLUSTER_TOKEN",
		Source: bench.SourceTargetFile,
		Dialect: bench.Dialect{
			Name: "vllm+custom", OutputCap: "max_completion_tokens",
			Thinking: map[bench.Thinking]map[string]any{
				bench.ThinkingDisabled: {"chat_template_kwargs": map[string]any{"enable_thinking": false}},
				bench.ThinkingAuto:     {"chat_template_kwargs": map[string]any{}},
			},
			ExtraBody:    map[string]any{"priority": uint64(3), "guided": []any{uint64(1), 2.5, true, "text"}},
			ExtraHeaders: map[string]string{"X-Route": "blue"},
		},
		Terms: bench.Terms{
			MaxConcurrency: 8, Limits: bench.Limits{Connect: 2 * time.Second, Total: 5 * time.Minute},
			Prices: bench.Prices{In: 0.8, Cached: new(float64), Out: 2, Currency: "CNY"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		a, _ := json.MarshalIndent(got, "", " ")
		b, _ := json.MarshalIndent(want, "", " ")
		t.Errorf("got %s\nwant %s", a, b)
	}
}

func TestAShortTargetFileTakesTheDialectOfItsHost(t *testing.T) {
	got, err := parseTarget("t.yaml", []byte("base_url: https://api.deepseek.com/\nmodel: deepseek-chat\napi_key_env: DEEPSEEK_API_KEY\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Dialect.Name != "deepseek" || got.BaseURL != "https://api.deepseek.com" || got.Terms != (bench.Terms{}) {
		t.Errorf("target %+v", got)
	}
}

func TestEverythingWrongInATargetFileIsSaidAtOnceWithItsLine(t *testing.T) {
	got := refusals(`label: ""
base_url: ftp://host/v1
model: YOUR_MODEL
api_key_env: "not a name"
colour: blue
dialect: {name: azure, output_cap: max_new_tokens, extra_body: {model: other, temperature: 0}}
limits:
  timeout: 600
  max_concurrency: many
  retries: 3
prices: {in: -1}
`)
	want := `1: label is "": allowed is 1 to 100 bytes of visible text
2: base_url is "ftp://host/v1": allowed is an http or https URL without user, password, query or fragment, such as https://host/api/v3
3: model is "YOUR_MODEL": allowed is the value itself, in the place of the placeholder
4: api_key_env is "not a name": allowed is the NAME of an environment variable, such as ARK_API_KEY
5: field is "colour": allowed is label, base_url, model, api_key_env, dialect, limits, prices
8: limits.timeout is "600": allowed is a duration from 1ns to 168h, such as 90s or 10m
9: limits.max_concurrency is "many": allowed is 1 to 10000
10: limits.field is "retries": allowed is max_concurrency, connect_timeout, first_token_timeout, idle_timeout, timeout
11: prices.in is "-1": allowed is a price of a million tokens, 0 or more
6: dialect.name is "azure": allowed is ark, aliyun, bigmodel, deepseek, kimi, tencent, openai, vllm, sglang, generic
6: dialect.output_cap is "max_new_tokens": allowed is max_completion_tokens or max_tokens
6: dialect.extra_body.model is "other": allowed is nothing: it is given by model
6: dialect.extra_body.temperature is "0": allowed is nothing: it is not sent by any run, so that runs can be compared`
	if got != want {
		t.Errorf("said\n%s\nwant\n%s", got, want)
	}
}

func TestATargetFileIsRefused(t *testing.T) {
	base := "base_url: http://10.0.0.7/v1\nmodel: m\n"
	for name, c := range map[string]struct{ text, want string }{
		"empty":                      {"", "a target file is one YAML document with fields"},
		"a list":                     {"- a\n", "1: holds a list"},
		"not YAML":                   {"a: 'b\n", "1: not YAML: could not find end character of single-quoted text"},
		"two documents":              {base + "---\n" + base, "one YAML document"},
		"a field twice":              {base + "model: n\n", `3: not YAML: mapping key "model" already defined at [2:1]`},
		"an anchor":                  {"base_url: &a http://10.0.0.7/v1\nmodel: *a\n", "1: YAML anchor: allowed are plain values"},
		"a tag":                      {base + "label: !!binary aGk=\n", "3: YAML tag"},
		"a merge":                    {base + "<<: {label: x}\n", "3: a name that is no plain text"},
		"no address":                 {"model: m\n", "base_url is not set"},
		"an address that is null":    {"base_url:\nmodel: m\n", "1: base_url is nothing: allowed is text"},
		"a placeholder":              {"base_url: https://<host>/v1\nmodel: m\n", "placeholder"},
		"a placeholder of a shell":   {base + "label: ${LABEL}\n", "3: label is \"${LABEL}\": allowed is the value itself"},
		"a placeholder for a host":   {"base_url: https://api.example.com/v1\nmodel: m\n", "placeholder"},
		"a vendor without a key":     {"base_url: https://api.deepseek.com\nmodel: m\n", "api_key_env is not set: allowed is the NAME of the environment variable that holds the key of api.deepseek.com"},
		"a cap that is ignored":      {"base_url: https://api.deepseek.com\napi_key_env: A\nmodel: m\ndialect: {output_cap: max_completion_tokens}\n", "4: dialect.output_cap is \"max_completion_tokens\": allowed is max_tokens"},
		"a field that is foreign":    {"base_url: https://api.openai.com/v1\napi_key_env: A\nmodel: m\ndialect: {extra_body: {ignore_eos: true}}\n", "4: dialect.extra_body.ignore_eos is \"true\": allowed is nothing: the API of openai has no such field"},
		"a header of the client":     {base + "dialect: {extra_headers: {user-agent: me}}\n", "no header that the program sets itself"},
		"a header over two lines":    {base + "dialect: {extra_headers: {X-A: \"b\\r\\nX-C: d\"}}\n", "dialect.extra_headers.X-A"},
		"a state that is none":       {base + "dialect: {thinking: {off: {a: 1}}}\n", "dialect.thinking.field is \"off\": allowed is disabled, enabled, auto"},
		"a state without fields":     {base + "dialect: {thinking: {disabled: {}}}\n", "dialect.thinking.disabled is fields: allowed is fields of the request body"},
		"too deep":                   {base + "dialect: {extra_body: {a: " + strings.Repeat("[", 20) + strings.Repeat("]", 20) + "}}\n", "more than 12 levels of nesting"},
		"too much body":              {base + "dialect: {extra_body: {a: [" + strings.Repeat("12345678,", 600) + "1]}}\n", "at most 4096 bytes of JSON"},
		"a text that is not visible": {base + "label: \"a\\u202eb\"\n", "visible text"},
		"not UTF-8":                  {base + "label: \xff\n", "not text in UTF-8"},
		"too long":                   {base + "# " + strings.Repeat("x", 16<<10), "more than 16 KiB"},
	} {
		if got := refusals(c.text); !strings.Contains(got, c.want) {
			t.Errorf("%s: said %q, want %q", name, got, c.want)
		}
	}
}

// planted are credentials of every form.
func planted() []string {
	return []string{
		"sk-LEAK0123456789abcdef", "ark-LEAK0123-4567-89ab", "0f8fad5b-d9cd-469f-a165-70867728950e", "Bearer LEAKabcdef",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJMRUFLIn0.c2ln", "LEAK0123456789abcdef0123456789", "AKIALEAK01234567",
	}
}

func TestNoSecretIsTakenOrPrinted(t *testing.T) {
	for _, secret := range planted() {
		for _, text := range []string{
			"base_url: http://10.0.0.7/v1\nmodel: m\napi_key: " + secret,
			"base_url: http://10.0.0.7/v1\nmodel: m\napi_key_env: " + secret,
			"base_url: http://10.0.0.7/v1\nmodel: m\nlabel: x " + secret,
			"base_url: http://user:" + strings.ReplaceAll(secret, " ", "") + "@10.0.0.7/v1\nmodel: m",
			"base_url: http://10.0.0.7/v1/" + strings.ReplaceAll(secret, " ", "%20") + "\nmodel: m",
			"base_url: http://10.0.0.7/v1?key=" + strings.ReplaceAll(secret, " ", "+") + "\nmodel: m",
			"base_url: http://10.0.0.7/v1\nmodel: m\ndialect: {extra_headers: {X-Trace: " + secret + "}}",
			"base_url: http://10.0.0.7/v1\nmodel: m\ndialect: {extra_headers: {Authorization: " + secret + "}}",
			"base_url: http://10.0.0.7/v1\nmodel: m\ndialect: {extra_body: {a: [" + secret + "]}}",
			"base_url: http://10.0.0.7/v1\nmodel: m\ndialect: {thinking: {disabled: {a: " + secret + "}}}",
			"base_url: http://10.0.0.7/v1\nmodel: m\n" + secret + ": x",
			"base_url: http://10.0.0.7/v1\nmodel: m\nlimits: {timeout: " + secret + "}",
			"base_url: http://10.0.0.7/v1\nmodel: m\nlabel: '" + secret,
		} {
			got := refusals(text)
			if got == "" {
				t.Errorf("taken: %s", text)
			}
			if strings.Contains(got, secret) || strings.Contains(got, "LEAK") {
				t.Errorf("printed: %s", got)
			}
		}
	}
}

func TestHeadersThatCarryKeysAreRefusedByName(t *testing.T) {
	for _, name := range []string{"Authorization", "authorization", "Proxy-Authorization", "api-key", "X-Api-Key", "x-goog-api-key", "Cookie", "Set-Cookie", "X-Auth-Token", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key", "X-Client-Secret"} {
		if got := refusals("base_url: http://10.0.0.7/v1\nmodel: m\ndialect: {extra_headers: {" + name + ": a}}"); !strings.Contains(got, "no header that carries a key") {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, name := range []string{"X-Prompt-Cache-Id", "X-Ark-Max-Wait-Timeout-Ms", "X-Request-Source", "OpenAI-Organization"} {
		if got := refusals("base_url: http://10.0.0.7/v1\nmodel: m\ndialect: {extra_headers: {" + name + ": a}}"); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestNamesOfModelsAreNoSecrets(t *testing.T) {
	for _, model := range []string{"doubao-seed-2-0-mini-260428", "ep-20260701120000-abcde", "Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", "deepseek-v4-pro-ga-260813", "2507", "gpt-5.1", "accounts/fireworks/models/kimi-k2p5"} {
		got, err := parseTarget("t.yaml", []byte("base_url: http://10.0.0.7/v1\nmodel: "+model+"\nlabel: "+model+"\n"))
		if err != nil || got.Model != model {
			t.Errorf("%s: %q, %v", model, got.Model, err)
		}
	}
}

func TestAFileThatCannotBeReadIsSaidSo(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{dir: "not a file", filepath.Join(dir, "none.yaml"): "no such file"} {
		_, err := ReadTarget(name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := ReadTarget(filepath.Join(dir, "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v is not ErrNotExist", err)
	}
}

func FuzzTargetFile(f *testing.F) {
	f.Add([]byte(wholeFile))
	f.Add([]byte("base_url: https://api.deepseek.com\nmodel: m\napi_key_env: A\ndialect: {thinking: null, extra_headers: {X-A: b}}\n"))
	f.Add([]byte("a: &x [1]\nb: *x\n"))
	f.Add([]byte("? {a: b}\n: [c]\n"))
	f.Add([]byte("a: |\n  b\n c: \"\\x00\"\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		target, err := parseTarget("t.yaml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t.yaml:") || bench.Redact(err.Error()) != err.Error() {
				t.Errorf("error %q", err)
			}
			return
		}
		if base, err := baseURL(target.BaseURL); err != nil || base != target.BaseURL {
			t.Errorf("base URL %q: %v", target.BaseURL, err)
		}
		if encoded, err := json.Marshal(target); err != nil || bench.Redact(string(encoded)) != string(encoded) {
			t.Errorf("target %s: %v", encoded, err)
		}
		for name, value := range target.Dialect.ExtraHeaders {
			if namesSecret(name) || likeSecret(value) || strings.ContainsAny(name+value, "\r\n") {
				t.Errorf("header %q: %q", name, value)
			}
		}
	})
}

func TestTheExampleOnThePageIsATargetFile(t *testing.T) {
	page, err := os.ReadFile("../../skill/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the page shows no target file")
	}
	// The parts of a dialect stand in comments, in the place of its name.
	parts := strings.ReplaceAll(strings.Replace(example, "dialect: vllm ", "# ", 1), "\n# ", "\n")
	for text, dialect := range map[string]string{example: "vllm", parts: "vllm+custom"} {
		if got, err := parseTarget("t.yaml", []byte(text)); err != nil || got.Dialect.Name != dialect || got.Terms.MaxConcurrency != 8 {
			t.Errorf("%+v, %v\n%s", got, err, text)
		}
	}
}

func TestThePageListsTheBuiltInTargets(t *testing.T) {
	page, err := os.ReadFile("../../skill/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range knownTargets() {
		if row := "| `" + k.name + "` | `" + k.baseURL + "` | `" + k.keyEnv + "`"; !strings.Contains(string(page), row) {
			t.Errorf("the page lacks %s", row)
		}
	}
}
