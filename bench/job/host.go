package job

import (
	"bufio"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// thisHost describes the machine that measures, without its name.
func thisHost() bench.Host {
	zone, offset := time.Now().Zone()
	return bench.Host{
		OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: bench.Clean(cpuName(), 80), CPUs: runtime.GOMAXPROCS(0),
		TimeZone: zone + time.Unix(0, 0).In(time.FixedZone("", offset)).Format(" -07:00"),
	}
}

// cpuName is the processor's model; "" where the system doesn't tell it in a file.
func cpuName() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// thisTool is this program, of the given version.
func thisTool(version string) bench.Tool { return bench.Tool{Version: version, Go: runtime.Version()} }
