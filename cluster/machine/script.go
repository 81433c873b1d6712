package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// scriptBytes bounds the part of a script's output that is kept.
const scriptBytes = 64 << 10

// errTooLong is the error of a script that did not end in time.
var errTooLong = errors.New("it did not end in time")

// runScript runs a program and returns its stdout. It and its children are killed when ctx ends, or after within. The error of a
// program that failed has its stderr.
func runScript(ctx context.Context, script string, within time.Duration) (*bounded, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	cmd := exec.CommandContext(ctx, script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // its children too
	cmd.WaitDelay = time.Second                                                          // a process that left its group may hold its pipes
	said, complaint := &bounded{room: scriptBytes}, &bounded{room: 1 << 10}
	cmd.Stdout, cmd.Stderr = said, complaint
	err := cmd.Run()
	switch {
	case ctx.Err() != nil: // before err, which says only that the program was killed
		return said, errTooLong
	case err != nil:
		return said, fmt.Errorf("%w%s", err, complaint.text())
	}
	return said, nil
}

// Health runs a node's health script: a line that begins with ERROR says that the node is not healthy, and so does a script
// that does not end within limit. How it exits does not matter, as in Hadoop's NodeHealthScriptRunner; a script that cannot be
// run leaves the node healthy, with the reason in report.
func Health(ctx context.Context, script string, limit time.Duration) (report string, healthy bool) {
	said, err := runScript(ctx, script, limit)
	if errors.Is(err, errTooLong) && context.Cause(ctx) == nil {
		return "Node health script timed out", false
	}
	var bad []string
	for line := range strings.Lines(said.kept.String()) {
		if strings.HasPrefix(line, "ERROR") {
			bad = append(bad, strings.TrimSpace(line))
		}
	}
	var ended *exec.ExitError
	switch {
	case len(bad) > 0:
		return strings.Join(bad, "\n"), false
	case err != nil && !errors.As(err, &ended):
		return fmt.Sprintf("the health script cannot be run: %v", err), true
	}
	return "", true
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	kept bytes.Buffer
	room int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.room-b.kept.Len())
	b.over = b.over || n < len(p)
	b.kept.Write(p[:n])
	return len(p), nil // all of it, or the script would see a broken pipe
}

// text is the output as the end of an error.
func (b *bounded) text() string {
	if s := strings.TrimSpace(b.kept.String()); s != "" {
		return ": " + s
	}
	return ""
}
