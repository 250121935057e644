package job

import (
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// Language is that of a report for which the user has named none: Chinese for
// Ark, else the locale's.
func Language(target *bench.Target, env Environment) string {
	if target.Source == bench.SourceArkCLI || target.Source == bench.SourceEnv || bench.DialectOfHost(hostOf(target.BaseURL)).Name == bench.Ark().Name {
		return "zh"
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale, _ := env(name); locale != "" {
			if strings.HasPrefix(strings.ToLower(locale), "zh") {
				return "zh"
			}
			return "en"
		}
	}
	return "en"
}
