package process

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/coherer/coherer/rpcenv/parent"
)

// maxReady bounds the line of a Ready. Up to this size a write to a pipe is whole.
const maxReady = 4096

// Ready is what a daemon says of itself once it can be used. It is one line of JSON, written to the descriptor named by
// --ready-fd.
type Ready struct {
	// Role is the daemon's sub-command, such as "master".
	Role string `json:"role"`
	// URL is where its Env listens, as spark://host:port; of a daemon of YARN as yarn://host:port.
	URL string `json:"url"`
	// UI is the address of its pages; empty when it has none.
	UI string `json:"ui"`
	// Gossip is the host:port of its membership; empty when it has none.
	Gossip string `json:"gossip"`
	// Debug is the host:port of its /metrics and /debug/pprof; left out when it serves none.
	Debug string `json:"debug,omitempty"`
	// PID is the number of its process.
	PID int `json:"pid"`
}

// ReportReady writes r to the descriptor fd, which it closes; 1 is stdout, which it leaves open. The descriptor comes from
// a user: one that is not open for writing is an error. It is called once.
func ReportReady(fd int, r Ready) error {
	if fd < 1 || fd == 2 {
		return fmt.Errorf("--ready-fd=%d: want a descriptor that is open for writing: 1, or above 2", fd)
	}
	if err := parent.CheckFD(fd, true); err != nil {
		return fmt.Errorf("--ready-fd=%d: %w: the program that starts a daemon has to open it", fd, err)
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("ready line: %w", err)
	}
	if len(line)+1 > maxReady {
		return fmt.Errorf("ready line: %d bytes are more than %d", len(line)+1, maxReady)
	}
	// A line in one write up to maxReady: a reader sees all of it or nothing.
	out := os.Stdout
	if fd > 2 {
		out = os.NewFile(uintptr(fd), "ready")
		defer out.Close()
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the ready line to --ready-fd=%d: %w", fd, err)
	}
	return nil
}

// parseReady reads a ready line, which another process wrote.
func parseReady(line []byte) (Ready, error) {
	var r Ready
	if err := json.Unmarshal(line, &r); err != nil {
		return Ready{}, fmt.Errorf("ready line %.80q: want one object of JSON: %w", line, err)
	}
	if r.Role == "" || r.PID <= 0 {
		return Ready{}, fmt.Errorf("ready line %.80q: it has no role or no pid", line)
	}
	return r, nil
}

// errNotReported is why a report did not come: the process closed its end, or ended.
var errNotReported = errors.New("it closed its --ready-fd without a ready line")

// Ready returns what the process said of itself when it was ready, and waits for that until ctx ends. When the process
// ended before, or said something else, the error quotes its exit code and the last lines of its stderr. It wants
// [Spec.Ready], and may be called many times.
func (p *Process) Ready(ctx context.Context) (Ready, error) {
	if p.readyDone == nil {
		return Ready{}, fmt.Errorf("%s was started without Spec.Ready: it reports nothing", p.name)
	}
	select {
	case <-p.readyDone:
	case <-ctx.Done():
		return Ready{}, fmt.Errorf("%s (pid %d) is not ready yet: %w%s", p.name, p.PID(), context.Cause(ctx), p.lastWords())
	}
	if !errors.Is(p.readyErr, errNotReported) {
		return p.ready, p.readyErr
	}
	// The pipe ended without a line. The process's own end, which mostly follows at once, says more about the reason.
	select {
	case <-p.ended:
	case <-ctx.Done():
		return Ready{}, fmt.Errorf("%s (pid %d): %w%s", p.name, p.PID(), p.readyErr, p.lastWords())
	}
	err := fmt.Errorf("%s ended with code %d before it was ready%s", p.name, p.exit.Code, p.lastWords())
	return Ready{}, errors.Join(err, p.exit.Err)
}

// readyGrace is how long after the end of a process its line may take to be read: it is in the pipe by then, but a
// descendant may hold the other end.
const readyGrace = 2 * time.Second

// readReady reads the line.
func (p *Process) readReady() {
	defer close(p.readyDone)
	line, err := bufio.NewReaderSize(io.LimitReader(p.readyPipe, maxReady), maxReady).ReadSlice('\n')
	switch {
	case err == nil:
		if p.ready, p.readyErr = parseReady(bytes.TrimSpace(line)); p.readyErr != nil {
			p.readyErr = fmt.Errorf("%s (pid %d): %w", p.name, p.PID(), p.readyErr)
		}
	case len(line) == maxReady:
		p.readyErr = fmt.Errorf("%s (pid %d): its ready line is longer than %d bytes", p.name, p.PID(), maxReady)
	default:
		p.readyErr = errNotReported
	}
	p.readyPipe.Close()
}

// lastWords is the end of the process's stderr for the end of an error's text.
func (p *Process) lastWords() string {
	const most = 10
	if words := lastLines(p.stderr, p.stderrFrom, most); words != "" {
		return ": " + words
	}
	return ""
}
