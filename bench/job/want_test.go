package job

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// variables is an environment.
type variables map[string]string

func (v variables) lookup(name string) (string, bool) {
	value, ok := v[name]
	return value, ok
}

// profile is an Ark CLI that always finds the same target.
type profile struct{}

func (profile) Target(context.Context, string, string) (bench.Target, []string, error) {
	return bench.Target{BaseURL: "https://ark.cn-beijing.volces.com/api/v3", Model: "m-by-cli", Source: bench.SourceArkCLI, Key: bench.NewSecret("k-cli")}, nil, nil
}

func find(t *testing.T, w Want, env variables) (bench.Target, error) {
	t.Helper()
	target, _, err := Find(t.Context(), w, env.lookup, profile{})
	return target, err
}

// written is a target file with this text.
func written(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "target.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestBuiltInTargetsNeedAModelAndAKeyAlone(t *testing.T) {
	for name, want := range map[string]struct{ baseURL, keyEnv string }{
		"ark":      {"https://ark.cn-beijing.volces.com/api/v3", "ARK_API_KEY"},
		"aliyun":   {"https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"},
		"bigmodel": {"https://open.bigmodel.cn/api/paas/v4", "ZHIPUAI_API_KEY"},
		"deepseek": {"https://api.deepseek.com", "DEEPSEEK_API_KEY"},
		"kimi":     {"https://api.moonshot.cn/v1", "MOONSHOT_API_KEY"},
		"tencent":  {"https://tokenhub.tencentmaas.com/v1", "TOKENHUB_API_KEY"},
		"openai":   {"https://api.openai.com/v1", "OPENAI_API_KEY"},
		"vllm":     {"http://localhost:8000/v1", "VLLM_API_KEY"},
		"sglang":   {"http://localhost:30000/v1", "SGLANG_API_KEY"},
	} {
		got, err := find(t, Want{Target: name, Model: "m"}, variables{want.keyEnv: " k-1 "})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.BaseURL != want.baseURL || got.KeyEnv != want.keyEnv || got.Key.Reveal() != "k-1" || got.Dialect.Name != name || got.Model != "m" || got.Label != name || got.Source != bench.SourceTargetFile {
			t.Errorf("%s: %+v", name, got)
		}
		if _, err := find(t, Want{Target: name}, variables{want.keyEnv: "k-1"}); err == nil || !strings.Contains(err.Error(), "model is") {
			t.Errorf("%s without a model: %v", name, err)
		}
	}
	if len(TargetNames()) != 9 {
		t.Errorf("built in are %v", TargetNames())
	}
}

func TestABuiltInTargetOnThisMachineNeedsNoKey(t *testing.T) {
	got, err := find(t, Want{Target: "vllm", Model: "m"}, nil)
	if err != nil || !got.Key.IsZero() || got.KeyEnv != "" {
		t.Errorf("%+v, %v", got, err)
	}
	var credentials *CredentialsError
	if _, err := find(t, Want{Target: "aliyun", Model: "m"}, nil); !errors.As(err, &credentials) || !strings.Contains(err.Error(), "DASHSCOPE_API_KEY") {
		t.Errorf("aliyun without a key: %v", err)
	}
}

func TestSourcesAreTriedInOrder(t *testing.T) {
	env := variables{"ARK_BASE_URL": "https://ark.cn-beijing.volces.com/api/v3", "ARK_API_KEY": "k-env", "DEEPSEEK_API_KEY": "k-ds", "HOST_API_KEY": "k-host", "OPENAI_API_KEY": "k-openai", "OPENAI_BASE_URL": "https://api.openai.com/v1"}
	for _, c := range []struct {
		want   Want
		env    variables
		source bench.Source
		key    string
	}{
		{Want{Sim: &sim.Config{}}, env, bench.SourceSim, ""},
		{Want{Target: "deepseek", Model: "m"}, env, bench.SourceTargetFile, "k-ds"},
		{Want{BaseURL: "https://host/v1", KeyEnv: "HOST_API_KEY", Model: "m"}, env, bench.SourceBaseURL, "k-host"},
		{Want{Model: "m"}, env, bench.SourceEnv, "k-env"},
		{Want{Model: "m", Profile: "p"}, env, bench.SourceArkCLI, "k-cli"},
		{Want{Model: "m"}, variables{"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://api.openai.com/v1", "ARK_API_KEY": "k"}, bench.SourceArkCLI, "k-cli"},
	} {
		got, err := find(t, c.want, c.env)
		if err != nil || got.Source != c.source || got.Key.Reveal() != c.key {
			t.Errorf("%+v: %s with %q, %v; want %s with %q", c.want, got.Source, got.Key.Reveal(), err, c.source, c.key)
		}
	}
}

func TestWhatTheUserSaysBeatsTheTargetFile(t *testing.T) {
	file := written(t, "label: ours\nbase_url: https://10.0.0.7/v1\nmodel: a\napi_key_env: ANY_NAME\ndialect: vllm\n")
	env := variables{"ANY_NAME": "k-any", "OTHER_API_KEY": "k-other"}
	got, err := find(t, Want{Target: file}, env)
	if err != nil || got.Label != "ours" || got.Model != "a" || got.Key.Reveal() != "k-any" || got.Dialect.Name != "vllm" {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = find(t, Want{Target: file, Label: "mine", Model: "b", KeyEnv: "OTHER_API_KEY", Dialect: "sglang"}, env)
	if err != nil || got.Label != "mine" || got.Model != "b" || got.Key.Reveal() != "k-other" || got.Dialect.Name != "sglang" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAnyVariableIsReadForLoopbackOrATargetFileAlone(t *testing.T) {
	env := variables{"AWS_SECRET_ACCESS_KEY": "k-aws"}
	file := written(t, "base_url: https://10.0.0.7/v1\nmodel: a\napi_key_env: AWS_SECRET_ACCESS_KEY\n")
	for _, c := range []struct {
		want  Want
		taken bool
	}{
		{Want{BaseURL: "https://host/v1", Model: "m", KeyEnv: "AWS_SECRET_ACCESS_KEY"}, false},
		{Want{BaseURL: "http://127.0.0.1:9/v1", Model: "m", KeyEnv: "AWS_SECRET_ACCESS_KEY"}, true},
		{Want{BaseURL: "http://localhost.evil.example/v1", Model: "m", KeyEnv: "AWS_SECRET_ACCESS_KEY"}, false},
		{Want{Target: "deepseek", Model: "m", KeyEnv: "AWS_SECRET_ACCESS_KEY"}, false},
		{Want{Target: "vllm", Model: "m", KeyEnv: "AWS_SECRET_ACCESS_KEY"}, true},
		{Want{Target: file}, true},
	} {
		got, err := find(t, c.want, env)
		if taken := err == nil && got.Key.Reveal() == "k-aws"; taken != c.taken {
			t.Errorf("%+v: taken is %v, %v", c.want, taken, err)
		}
	}
}

func TestWordsThatExcludeEachOtherAreRefusedTogether(t *testing.T) {
	_, err := find(t, Want{Sim: &sim.Config{}, Target: "ark", BaseURL: "https://host/v1", Profile: "p"}, nil)
	for _, field := range []string{"target", "base_url", "profile"} {
		if err == nil || !strings.Contains(err.Error(), field+" is ") {
			t.Errorf("%s isn't refused: %v", field, err)
		}
	}
}

func TestAKeyGivenForItsNameIsNotPrinted(t *testing.T) {
	for _, secret := range planted() {
		for _, w := range []Want{{BaseURL: "https://host/v1", KeyEnv: secret, Model: "m"}, {Target: "ark", KeyEnv: secret, Model: "m"}, {KeyEnv: secret, Model: "m"}, {Target: secret, Model: "m"}} {
			if _, err := find(t, w, nil); err == nil || strings.Contains(err.Error(), secret) {
				t.Errorf("error %v", err)
			}
		}
	}
}

func TestWhatIsNoKeyIsNotSent(t *testing.T) {
	for _, value := range []string{"", "  ", "ark-****9964", "two\nlines", "with blank", "ключ"} {
		var credentials *CredentialsError
		_, err := find(t, Want{Target: "ark", Model: "m"}, variables{"ARK_API_KEY": value})
		if !errors.As(err, &credentials) || strings.TrimSpace(value) != "" && strings.Contains(err.Error(), value) {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestANameThatIsNoTargetIsRefusedWithTheNamesThatThereAre(t *testing.T) {
	_, err := find(t, Want{Target: "azure", Model: "m"}, nil)
	want := `target is "azure": allowed is a file that exists, or one of ark, aliyun, bigmodel, deepseek, kimi, tencent, openai, vllm, sglang`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
