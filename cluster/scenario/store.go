package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/cluster/recovery"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// store has the records of several Masters of a script, as on a disk that all see. It outlives them.
type store struct {
	recovery.Memory
	leader string // the elected Master; empty: no election yet, and all may write
	term   uint64
}

// storeOf is a store as one Master sees it: only the leader gets at the records.
type storeOf struct {
	*store
	name string
}

func (s storeOf) refused() error {
	if s.leader != "" && s.leader != s.name {
		return fmt.Errorf("the store belongs to %s: %w", s.leader, records.ErrNotLeader)
	}
	return nil
}

// Load fulfils records.Store.
func (s storeOf) Load(b *rpcenv.Blocking) ([]records.Change, []error, error) {
	if err := s.refused(); err != nil {
		return nil, nil, err
	}
	return s.Memory.Load(b)
}

// Write fulfils records.Store.
func (s storeOf) Write(b *rpcenv.Blocking, changes []records.Change) error {
	if err := s.refused(); err != nil {
		return err
	}
	return s.Memory.Write(b, changes)
}

// shared is the Config of a Master with store=NAME and election=true: one of several.
func (r *Runner) shared(name string, c syntax.Command) master.Config {
	cfg := master.Config{Election: c.Option("election", "") == "true"}
	if at := c.Option("store", ""); at != "" {
		if r.stores[at] == nil {
			r.stores[at] = &store{}
		}
		cfg.Store = storeOf{r.stores[at], name}
	}
	return cfg
}

// elect makes a Master the leader of its store, in the next term: NAME. The leader before gets RevokedLeadership, if it runs.
func (r *Runner) elect(c syntax.Command) error {
	n, err := r.only(c)
	if err != nil {
		return err
	}
	s := r.stores[n.began.Option("store", "")]
	if s == nil || n.Master == nil {
		return fmt.Errorf("%s is no Master with a store: start it with store=NAME election=true", n.name)
	}
	if old := r.nodes[s.leader]; old != nil && s.leader != n.name {
		if err := old.Env.Send(old.Ref, master.RevokedLeadership{}); err != nil && r.runs(old) {
			return err
		}
	}
	// The store refuses the old leader from now on, whatever the messages do; the term counts also when nobody hears of it.
	s.leader = n.name
	s.term++
	r.observer.Disturb()
	if !r.runs(n) {
		return nil
	}
	return n.Env.Send(n.Ref, master.ElectedLeader{Term: s.term})
}

// runs reports whether a node's process has not ended.
func (r *Runner) runs(n *node) bool {
	_, ended := r.world.Exited(n.name)
	return !ended
}

// corrupt makes a record of a store one that cannot be restored: STORE NAME, of an application or a Worker by the script's
// name.
func (r *Runner) corrupt(c syntax.Command) error {
	if err := c.Need(2, "STORE NAME"); err != nil {
		return err
	}
	s := r.stores[c.Args[0]]
	if s == nil {
		return fmt.Errorf("no store is called %s", c.Args[0])
	}
	r.names.learn(r.Trace().Entries)
	id, ok := r.names.id("$" + c.Args[1])
	kept, _, err := s.Load(nil)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(kept, func(x records.Change) bool { return ok && strings.HasSuffix(x.Key, id) })
	if at < 0 {
		return fmt.Errorf("the store has no record of %s", c.Args[1])
	}
	// A tag that is cut off: no message can be read from it.
	return s.Write(nil, []records.Change{{Key: kept[at].Key, Value: []byte{0xff}}})
}

// disk gives executors a disk of so many bytes.
func (r *Runner) disk(c syntax.Command) error {
	if err := c.Need(1, "SIZE"); err != nil {
		return err
	}
	n, err := conf.Sizes(conf.Byte).Parse(c.Args[0])
	if err != nil {
		return err
	}
	return local.LimitDisk(r.world, n)
}

// damage damages a block on the disk of an executor.
func (r *Runner) damage(c syntax.Command) error {
	if err := c.Need(1, "BLOCK"); err != nil {
		return err
	}
	return local.Damage(r.world, c.Args[0])
}
