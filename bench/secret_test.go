package bench

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretShowsItselfNowhere(t *testing.T) {
	const key = "ark-LEAKTEST-0123456789"
	s := NewSecret(key)
	target := Target{Label: "a", Key: s}
	encoded, err := json.Marshal(map[string]any{"secret": s, "target": target})
	if err != nil {
		t.Fatal(err)
	}
	var logged strings.Builder
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "key", s, "target", target)
	shown := strings.Join([]string{
		fmt.Sprint(s), fmt.Sprintf("%v %+v %#v %s %q %x %d", s, s, s, s, s, s, s),
		fmt.Sprintf("%v %+v %#v", target, target, &target), string(encoded), logged.String(),
	}, "\n")
	if strings.Contains(shown, key) || strings.Contains(shown, fmt.Sprintf("%x", key)) {
		t.Errorf("the key is visible in:\n%s", shown)
	}
	if s.Reveal() != key {
		t.Errorf("Reveal() = %q, want the key", s.Reveal())
	}
}
