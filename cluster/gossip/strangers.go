package gossip

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"

	"github.com/coherer/coherer/rpcenv/oneline"
)

// What comes to the port of a member that is no gossip of its cluster is dropped by memberlist, with a line of its log for each packet and stream.
// Here the first is a warning, and the rest are counted.

// strangeLines begin the lines of memberlist's log that are about what a stranger sent.
var strangeLines = []string{
	"discarding packet with unacceptable label", "discarding stream with unacceptable label", "unexpected double", "cannot decode label",
	"Decrypt packet failed", "failed to receive", "Failed to receive", "Failed to read remote state", "Failed to decode", "Failed to decompress",
	"Received invalid msgType", "msg type (", "missing message type byte", "Got invalid checksum", "Compound request", "UDP packet too short",
	"Too many pending push/pull requests", "handler queue full",
}

// endedLines are in lines about a connection that ended, as that of a member that is killed does.
var endedLines = []string{"connection reset", "closed network connection", "broken pipe", "i/o timeout", "EOF"}

// strange reports whether a line is about what a stranger sent.
func strange(line string) bool {
	begins := false
	for _, b := range strangeLines {
		begins = begins || strings.HasPrefix(line, b)
	}
	for _, e := range endedLines {
		begins = begins && !strings.Contains(line, e)
	}
	return begins
}

// strangers counts what strangers sent.
type strangers struct {
	mu         sync.Mutex
	seen, told int
	last       string
}

// mostLine bounds the line that is kept, in bytes.
const mostLine = 300

// note counts a line, and returns what to warn of; empty: nothing.
func (s *strangers) note(line string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen++
	s.last = line[:min(len(line), mostLine)]
	if s.seen > 1 {
		return ""
	}
	s.told = 1
	return fmt.Sprintf("gossip: something came that is not of this cluster, and was dropped; if more comes it is counted: %s", oneline.Text(s.last))
}

// sum returns what to warn of now; empty: nothing. It says the count when that is ten times what was said before, so a flood is a line or two.
func (s *strangers) sum() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told == 0 || s.seen < 10*s.told {
		return ""
	}
	s.told = s.seen
	return fmt.Sprintf("gossip: %d packets and streams came so far that are not of this cluster, and were dropped; the last: %s", s.seen, oneline.Text(s.last))
}

// explain adds to the error of a join what it probably means.
func explain(err error) error {
	text := err.Error()
	const settings = "it may be a member of a cluster with another name (coherer.gossip.label) or other keys (coherer.gossip.keyFile), or speak no gossip"
	switch {
	case errors.Is(err, syscall.ECONNREFUSED): // nobody is there, which the text says
		return err
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), strings.Contains(text, "invalid msgType"), strings.Contains(text, "remote error"),
		strings.Contains(text, "encrypt"), strings.Contains(text, "EOF"):
		return fmt.Errorf("%w: it does not answer as a member: %s", err, settings)
	case strings.Contains(text, "i/o timeout"):
		return fmt.Errorf("%w: somebody is there and does not answer: it may be stopped, or speak no gossip", err)
	}
	return err
}
