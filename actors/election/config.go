package election

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// Config is what an Election is made of.
type Config struct {
	// Self is where this Master listens, as its peers call it.
	Self rpcenv.Address
	// Peers are all Masters of the group, Self among them, in any order: 1, 3, 5 or 7. They are the same in every Master's Config.
	Peers []rpcenv.Address
	// Log is where the Master keeps what it must not forget.
	Log Log
	// Tell is the endpoint of this Env that hears of elections; empty: Master.
	Tell string
	// Silence is how long a leader may be silent before a Master wants another; 0: a second.
	Silence time.Duration
	// Heartbeat is how often a leader speaks; 0: a fifth of Silence.
	Heartbeat time.Duration
	// SnapshotBytes is after how many bytes of changes the state is written down and the log before it forgotten, unless the
	// state itself is larger; 0: 1 MiB.
	SnapshotBytes int
	// Keep is how many entries before a snapshot stay in memory, for peers that are a little late; 0: 1,000.
	Keep uint64
}

// mostPeers is how many Masters a group may have.
const mostPeers = 7

// Validate reports all that is wrong with c.
func (c *Config) Validate() error {
	var errs []error
	if err := CheckCount(len(c.Peers)); err != nil {
		errs = append(errs, err)
	}
	sorted := c.sorted()
	for i, p := range sorted {
		if p.Host == "" || p.Port == 0 {
			errs = append(errs, fmt.Errorf("%w: %q: want HOST:PORT, with the port that the Master listens at", ErrPeers, p))
		}
		if i > 0 && p == sorted[i-1] {
			errs = append(errs, fmt.Errorf("%w: %s is listed twice: two Masters cannot have one address", ErrPeers, p))
		}
	}
	if !slices.Contains(c.Peers, c.Self) {
		errs = append(errs, fmt.Errorf("%w: this Master is %s, which is not among its peers %v: name it there as it listens", ErrPeers, c.Self, c.Peers))
	}
	if c.Log == nil {
		errs = append(errs, errors.New("an election needs a log"))
	}
	return errors.Join(errs...)
}

// CheckCount returns an error when no group can have n Masters.
func CheckCount(n int) error {
	if n < 1 || n%2 == 0 || n > mostPeers {
		return fmt.Errorf("%w: %d Masters: want 1, 3, 5 or 7: an even number bears no more losses than one less", ErrPeers, n)
	}
	return nil
}

// setDefaults fills in what was left at zero.
func (c *Config) setDefaults() {
	c.Silence = cmp.Or(c.Silence, time.Second)
	c.Heartbeat = cmp.Or(c.Heartbeat, c.Silence/beatsPerSilence)
	c.SnapshotBytes = cmp.Or(c.SnapshotBytes, 1<<20)
	c.Keep = cmp.Or(c.Keep, 1000)
	c.Tell = cmp.Or(c.Tell, "Master")
}

// beatsPerSilence is how many heartbeats in a row must be lost before a leader counts as gone.
const beatsPerSilence = 5

// sorted are the peers in the order that numbers them, from 1.
func (c *Config) sorted() []rpcenv.Address { return sorted(c.Peers) }

func sorted(peers []rpcenv.Address) []rpcenv.Address {
	out := slices.Clone(peers)
	slices.SortFunc(out, func(a, b rpcenv.Address) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

// Digest is of the Masters of a group, in any order: messages of an election carry it.
func Digest(peers []rpcenv.Address) uint64 {
	h := fnv.New64a()
	for _, p := range sorted(peers) {
		fmt.Fprintln(h, p)
	}
	return h.Sum64()
}
