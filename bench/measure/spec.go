package measure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"
	"time"
)

// The values of Spec.Record.
const (
	RecordOff = "off"
	// RecordRing keeps the latest records in memory, as a daemon does without a file to record to.
	RecordRing = "ring"
	// RecordOn records every message to a file besides, as `coherer run` does.
	RecordOn = "on"
)

// The bounds of a Spec.
const (
	MaxSize     = 16 << 20
	MaxInFlight = 1 << 16
	// MaxRate is beyond every contender; the schedule, in nanoseconds, still tells its messages apart.
	MaxRate = 100e6
	// MaxAllInFlight bounds the messages in flight of all pairs together.
	MaxAllInFlight = 1 << 20
	// MaxBytesInFlight bounds their bytes. Each side may have to hold them encoded, and once more while they are written.
	MaxBytesInFlight = 512 << 20
)

// Spec is one trial of one contender.
type Spec struct {
	Contender string `json:"contender"`
	Case      Case   `json:"case"`
	// Size is the length of a message's encoding in bytes; 0 when the case is not Sized.
	Size int `json:"size,omitempty"`
	// InFlight is how many messages of a pair are sent and not acknowledged, or how many asks or operations are under way; 0 when the
	// case is not Windowed.
	InFlight int `json:"in_flight,omitempty"`
	// Pairs is how many pairs of a sender and a receiver there are: of FanIn they share the receiver, of FanOut the sender.
	Pairs int `json:"pairs"`
	// Rate is how many messages, asks or operations a second all pairs together intend to begin; 0 is a closed loop: as many as may be
	// under way.
	Rate float64 `json:"rate,omitempty"`
	// WarmUp and Duration are how long new messages are sent in the two batches, in nanoseconds.
	WarmUp   time.Duration `json:"warm_up_ns"`
	Duration time.Duration `json:"duration_ns"`
	// Host is the IP address at which this side of a remote case listens, for a peer on another machine; empty is 127.0.0.1. With a Host
	// the two sides have clocks of their own, so tells have no latency.
	Host string `json:"host,omitempty"`
	// Record is RecordOff, RecordRing or RecordOn; contenders that have nothing to record with ignore it.
	Record string `json:"record"`
}

// Validate reports all that is wrong with s.
func (s *Spec) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !s.Case.Known() {
		bad("case %q: want one of %v", s.Case, Cases())
	}
	switch {
	case s.Case.Windowed() && (s.InFlight < 1 || s.InFlight > MaxInFlight):
		bad("in flight %d: want 1 to %d", s.InFlight, MaxInFlight)
	case s.Case.Sized() && s.Pairs <= maxPairs && s.InFlight*s.Pairs > MaxAllInFlight: // all are bounded, so the product cannot overflow
		bad("in flight %d of each of %d pairs: all together have at most %d", s.InFlight, s.Pairs, MaxAllInFlight)
	case !s.Case.Windowed() && s.InFlight != 0:
		bad("in flight %d: %s has no window", s.InFlight, s.Case)
	}
	switch most := s.Case.row().pairs; {
	case !s.Case.Known():
	case s.Pairs < 1 || s.Pairs > most:
		bad("pairs %d: %s has 1 to %d", s.Pairs, s.Case, most)
	case s.Case.Peers() && s.InFlight > s.Pairs:
		bad("in flight %d: each peer has one operation under way, and there are %d: give --in-flight %d, or more --pairs", s.InFlight, s.Pairs, s.Pairs)
	}
	switch least := float64(s.lanes()) / s.Duration.Seconds(); {
	case s.Rate < 0 || s.Rate > MaxRate || math.IsNaN(s.Rate):
		bad("rate %v a second: want up to %d, or 0 for as many as there can be", s.Rate, int64(MaxRate))
	case s.Rate > 0 && s.Duration > 0 && s.Rate < least:
		bad("rate %v a second: a trial of %s wants %v, one of each pair", s.Rate, s.Duration, least)
	}
	switch _, err := newMessages(s.Size, s.id(0)); {
	case s.Case.Known() && !s.Case.Sized():
		if s.Size != 0 {
			bad("size %s: %s has no message of a size", FormatSize(s.Size), s.Case)
		}
	case err != nil:
		errs = append(errs, err)
	case s.InFlight <= MaxInFlight && s.Pairs <= maxPairs && s.BytesInFlight() > MaxBytesInFlight:
		bad("%d messages of %s in flight are more than %s: want fewer or smaller ones", s.InFlight*s.Pairs, FormatSize(s.Size), FormatSize(MaxBytesInFlight))
	}
	if s.Duration <= 0 || s.WarmUp < 0 {
		bad("duration %s after %s: want more than nothing", s.Duration, s.WarmUp)
	}
	if s.Host != "" && net.ParseIP(s.Host) == nil {
		bad("host %q: want an IP address", s.Host)
	}
	if s.Record != RecordOff && s.Record != RecordRing && s.Record != RecordOn {
		bad("record %q: want %s, %s or %s", s.Record, RecordOn, RecordRing, RecordOff)
	}
	return errors.Join(errs...)
}

// Loopback is the host of this side when the other one is on the same machine.
const Loopback = "127.0.0.1"

// ListenHost is the address at which this side of a remote case listens.
func (s *Spec) ListenHost() string { return cmp.Or(s.Host, Loopback) }

// Senders is how many senders the pairs have: one each, but one for all of FanOut.
func (s *Spec) Senders() int {
	if s.Case == FanOut {
		return 1
	}
	return s.Pairs
}

// Receivers is how many receivers the pairs have: one each, but one for all of FanIn and of operations.
func (s *Spec) Receivers() int {
	if s.Case == FanIn || s.Case.Kind() == KindOp {
		return 1
	}
	return s.Pairs
}

// BytesInFlight is how many bytes of messages may be under way, of all pairs together; 0 when the case has no window.
func (s *Spec) BytesInFlight() int { return s.Size * s.InFlight * s.Pairs }

// lanes is how many sending sides there are: the pairs of operations are the contender's own affair.
func (s *Spec) lanes() int {
	if s.Case.Kind() == KindOp {
		return 1
	}
	return max(s.Pairs, 1)
}

// units are those of sizes, the largest first.
var units = []struct {
	name  string
	bytes int
}{{"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// ParseSize reads a size such as 76B, 1KiB or 2MiB; a bare number is bytes.
func ParseSize(text string) (int, error) {
	digits, unit := text, 1
	for _, u := range units {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			digits, unit = rest, u.bytes
			break
		}
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	switch {
	case err != nil:
		return 0, fmt.Errorf("size %q: want a whole number and B, KiB or MiB, such as 76B or 1KiB", text)
	case int(n) > MaxSize/unit: // divided: n*unit could overflow
		return 0, fmt.Errorf("size %s: at most %s", text, FormatSize(MaxSize))
	}
	return int(n) * unit, nil
}

// FormatSize is the inverse of ParseSize.
func FormatSize(n int) string {
	for _, u := range units {
		if n >= u.bytes && n%u.bytes == 0 {
			return fmt.Sprint(n/u.bytes, u.name)
		}
	}
	return fmt.Sprint(n, "B")
}

// ParseRate reads a number a second such as 500, 20k or 1.5M.
func ParseRate(text string) (float64, error) {
	digits, unit := text, 1.0
	if rest, ok := strings.CutSuffix(text, "k"); ok {
		digits, unit = rest, 1e3
	} else if rest, ok := strings.CutSuffix(text, "M"); ok {
		digits, unit = rest, 1e6
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, fmt.Errorf("rate %q: want a number, with k or M for thousands or millions, such as 500, 20k or 1.5M", text)
	}
	return n * unit, nil
}
