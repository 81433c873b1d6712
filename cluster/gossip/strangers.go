package gossip

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// memberlist drops what comes to the port of a member and is no gossip of its cluster, and what its own cluster sends faster than this member can
// handle it. It writes a line of its log for each packet and stream. A tally makes the first line a warning, and counts the rest.

// strangeLines begin the lines of memberlist's log that are about what a stranger sent.
var strangeLines = []string{
	"discarding packet with unacceptable label", "discarding stream with unacceptable label",
	"cannot decode label", "label header cannot be empty", "Decrypt packet failed", "Got invalid checksum", "UDP packet too short",
	"missing message type byte", "msg type (", "Compound request", "Failed to decompress", "Failed to decode",
	"failed to receive", "Failed to receive", "Failed to read remote state", "Received invalid msgType",
}

// overloadLines begin the lines about what members of this cluster sent and this member had no time for.
var overloadLines = []string{"handler queue full", "Too many pending push/pull requests"}

// endedLines are in lines about a connection that ended, as that of a member that is killed does.
var endedLines = []string{"connection reset", "closed network connection", "broken pipe", "i/o timeout", "EOF"}

// strange reports whether a line is about what a stranger sent.
func strange(line string) bool {
	ended := func(e string) bool { return strings.Contains(line, e) }
	return beginsWith(line, strangeLines) && !slices.ContainsFunc(endedLines, ended)
}

// overload reports whether a line is about what this member had no time for.
func overload(line string) bool { return beginsWith(line, overloadLines) }

func beginsWith(line string, beginnings []string) bool {
	return slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(line, b) })
}

// errNoMember says that somebody answers, and not as a member of this cluster does.
var errNoMember = errors.New("it does not answer as a member")

// explain adds to the error of a join what it probably means. It goes by the text, for memberlist wraps no cause.
func explain(err error) error {
	text := err.Error()
	const settings = "it may be a member of a cluster with another name (coherer.gossip.label) or other keys (coherer.gossip.keyFile), or speak no gossip"
	switch {
	case strings.Contains(text, syscall.ECONNREFUSED.Error()): // nobody is there, which the text says
		return err
	case strings.Contains(text, "EOF"), strings.Contains(text, syscall.ECONNRESET.Error()), strings.Contains(text, "invalid msgType"),
		strings.Contains(text, "remote error"), strings.Contains(text, "encrypt"):
		return fmt.Errorf("%w: %w: %s", err, errNoMember, settings)
	case strings.Contains(text, "i/o timeout"):
		return fmt.Errorf("%w: somebody is there and does not answer: it may be stopped, or speak no gossip", err)
	}
	return err
}
