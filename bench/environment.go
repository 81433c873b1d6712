package bench

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// Environment is where a run took place.
type Environment struct {
	CPU        string `json:"cpu"`
	Cores      int    `json:"cores"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	Go         string `json:"go"`
	OS         string `json:"os"`
	// Commit is that of the program, "unknown" when it was built without one; "+" follows a changed tree.
	Commit string `json:"commit"`
	// Load is the load average of the last minute before the run; empty where the system has no /proc/loadavg.
	Load string `json:"load"`
	// Record is whether Coherer recorded its messages.
	Record string `json:"record"`
}

func newEnvironment(record string) Environment {
	return Environment{
		CPU: cpu(), Cores: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0), Go: runtime.Version(),
		OS: runtime.GOOS + "/" + runtime.GOARCH, Commit: commit(), Load: load(), Record: record,
	}
}

// String is one line.
func (e Environment) String() string {
	s := fmt.Sprintf("%s, %d cores, GOMAXPROCS %d, %s, %s, commit %s", e.CPU, e.Cores, e.GOMAXPROCS, e.Go, e.OS, e.Commit)
	if e.Record != "" { // empty for Serve, which learns it with each trial
		s += ", recording " + e.Record
	}
	if e.Load != "" {
		s += ", load " + e.Load
	}
	return s
}

// cpu is the processor's name.
func cpu() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // other systems have none
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown CPU"
}

func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, changed := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	return revision + changed
}
