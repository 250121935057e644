package arkcli

import (
	"fmt"
	"testing"
)

func TestAFailureIsNamedByItsKindAndText(t *testing.T) {
	envelope := func(kind, message string) string {
		return fmt.Sprintf(`{"ok":false,"error":{"type":%q,"message":%q}}`, kind, message)
	}
	for _, c := range []struct {
		exit   int
		stderr string
		want   Problem
	}{
		{1, envelope("error", "not configured, run `arkcli auth login`"), NotLoggedIn},
		{1, envelope("auth", "token expired, login again"), LoginExpired},
		{1, envelope("auth", "no permission for this action"), APIError},
		{5, envelope("api", "InternalServiceError"), APIError},
		{5, envelope("rate_limit", "slow down"), APIError},
		{5, envelope("service_unavailable", "x"), APIError},
		{1, envelope("network", "dial tcp: no such host"), NetworkError},
		{2, envelope("requires_confirmation", "needs --yes"), NeedsPerson},
		{1, envelope("account_not_verified", "verify your name first"), NeedsPerson},
		{1, envelope("agreement_required", "accept first"), AgreementRequired},
		{1, envelope("validation", "size is too big"), CLIFailed},
		{1, envelope("error", "STS 续期失败: invalid_request"), LoginExpired},
		{1, envelope("api", "invalid_request: size"), APIError},
		{1, "a notice\n" + envelope("network", "x"), NetworkError},
		{1, "unknown command \"apikey\" for \"arkcli profile\"\nRun 'arkcli --help' for usage.\n", CLITooOld},
		{1, "error: x. Error code: 403 - {\"error\":{\"message\":\"y\"}}\n", APIError},
		{127, "env: node: No such file or directory\n", CLIFailed},
		{1, "'\"node\"' is not recognized as an internal or external command,\n", CLIFailed},
		{9009, "'arkcli' is not recognized as an internal or external command,\n", CLIMissing},
		{134, "", BadOutput},
		{1, "panic: runtime error\n", CLIFailed},
	} {
		r := reply{args: []string{"auth", "status"}, stderr: []byte(c.stderr), exit: c.exit}
		if got := echo("", "", 0).failure(r); got.Problem != c.want {
			t.Errorf("exit %d, %q: got %s (%s), want %s", c.exit, c.stderr, got.Problem, got.Message, c.want)
		}
	}
}
