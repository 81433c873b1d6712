package gossip_test

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/gossip"
)

// quick keeps up often.
const quick = 50 * time.Millisecond

// A member that was alone while all others were started again, at other places, finds them by the address it was given.
func TestAMemberComesBackAfterAllOthersWereStartedAgain(t *testing.T) {
	first := config(gossip.RoleMaster, 1)
	a := play(t, first)
	c := config("worker", 3, a)
	c.Upkeep = quick
	back := play(t, c)
	a.wantMembers(a.Name(), back.Name())
	a.Close()
	back.wantEvent(gossip.MemberJoined, a)
	back.wantSuspected(a, back)
	back.wantEvent(gossip.MemberFailed, a)
	back.wantMembers(back.Name()) // alone
	first.Incarnation = 2
	first.Bind = a.Addr()
	again := play(t, first)
	more := play(t, config("worker", 2, again))
	back.wantMembers(again.Name(), more.Name(), back.Name())
}

// The first member of a cluster has no addresses to join: it calls where it knew others.
func TestAMemberThatWasGivenNoAddressCallsWhereOthersWere(t *testing.T) {
	first := config(gossip.RoleMaster, 1)
	first.Upkeep = quick
	a := play(t, first)
	second := config("worker", 2, a)
	b := play(t, second)
	a.wantMembers(a.Name(), b.Name())
	b.Close()
	a.wantMembers(a.Name())
	second.Incarnation, second.Join, second.Bind = 2, nil, b.Addr()
	c := play(t, second)
	a.wantMembers(a.Name(), c.Name())
}

// ring is a file of keys that a test rewrites.
type ring struct {
	t    *testing.T
	path string
}

func newRing(t *testing.T, keys ...string) *ring {
	t.Helper()
	r := &ring{t, filepath.Join(t.TempDir(), "keys")}
	r.write(keys...)
	return r
}

func (r *ring) write(keys ...string) {
	r.t.Helper()
	// A file that is half written is not seen: it takes the place of the old one.
	next := r.path + ".next"
	err := os.WriteFile(next, []byte("# of a test\n\n"+strings.Join(keys, "\n")), 0o600)
	if err := errors.Join(err, os.Rename(next, r.path)); err != nil {
		r.t.Fatal(err)
	}
}

func newKey() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return base64.StdEncoding.EncodeToString(b)
}

// read counts how often the keys are asked for, and lets a test wait for the next times.
type read struct {
	mu   sync.Mutex
	cond *sync.Cond
	n    int
}

func (r *read) of(keys func() (gossip.Keys, error)) func() (gossip.Keys, error) {
	return func() (gossip.Keys, error) {
		k, err := keys()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.n++
		r.cond.Broadcast()
		return k, err
	}
}

// twice waits until the file's present keys are in use: the second reading from now begins after the first was taken over.
func (r *read) twice() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for end := r.n + 2; r.n < end; {
		r.cond.Wait()
	}
}

// Keys are changed while the cluster runs: members hear each other at every step, and a member with the old key only is kept
// out at the end.
func TestKeysAreChangedWhileTheClusterRuns(t *testing.T) {
	old, fresh := newKey(), newKey()
	var rings []*ring
	var reads []*read
	keyed := func(c gossip.Config) gossip.Config {
		rings = append(rings, newRing(t, old))
		r := &read{}
		r.cond = sync.NewCond(&r.mu)
		reads = append(reads, r)
		c.Keys, c.Upkeep = r.of(gossip.KeysOf(rings[len(rings)-1].path)), quick
		return c
	}
	a := play(t, keyed(config(gossip.RoleMaster, 1)))
	b := play(t, keyed(config("worker", 2, a)))
	b.wantMembers(a.Name(), b.Name())
	for i, step := range [][]string{{old, fresh}, {fresh, old}, {fresh}} {
		for _, r := range rings {
			r.write(step...)
		}
		for _, r := range reads {
			r.twice()
		}
		// News get through in both directions.
		if err := b.Revise(within(t), func(own *gossip.Meta) { own.PID = 100 + i }); err != nil {
			t.Fatal(err)
		}
		if err := a.WaitFor(within(t), func(m []gossip.Info) bool { return len(m) == 2 && m[1].PID == 100+i }); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	late := config("worker", 3, a)
	late.Keys = gossip.KeysOf(newRing(t, old).path)
	if _, err := gossip.Join(within(t), late); !errors.Is(err, gossip.ErrNobody) {
		t.Errorf("with the old key: %v", err)
	}
	late.Keys = nil
	if _, err := gossip.Join(within(t), late); !errors.Is(err, gossip.ErrNobody) {
		t.Errorf("without a key: %v", err)
	}
}

func TestKeysThatCannotBeReadAreNamed(t *testing.T) {
	good := newKey()
	for name, test := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"empty":     {"# nothing\n", 0o600, "no key in it"},
		"no base64": {good + "\nsecret!", 0o600, "line 2: it is no base64"},
		"short":     {base64.StdEncoding.EncodeToString([]byte("short")), 0o600, "line 1: a key of 5 bytes"},
		"many":      {strings.Repeat(good+"\n", 17), 0o600, "17 keys"},
		"open":      {good, 0o644, "chmod 600"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "keys")
			if err := os.WriteFile(path, []byte(test.text), test.mode); err != nil {
				t.Fatal(err)
			}
			c := config("worker", 1)
			c.Keys = gossip.KeysOf(path)
			_, err := gossip.Join(within(t), c)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%v", err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows what is in the file: %v", err)
			}
		})
	}
	c := config("worker", 1)
	c.Keys = gossip.KeysOf(filepath.Join(t.TempDir(), "none"))
	if _, err := gossip.Join(within(t), c); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
