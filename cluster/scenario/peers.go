package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/cluster/scenario/standin"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
	"github.com/coherer/coherer/rpcenv/trace"
)

// peer is a process with a standin.Peer.
type peer struct {
	standin.Peer
	env  *rpcenv.Env
	self rpcenv.Ref
}

// peer starts one: NAME, or NAME in=OTHER as a further endpoint, of that name, of a process that runs.
func (r *Runner) peer(c syntax.Command) error {
	if err := c.Need(1, "NAME [in=OTHER]"); err != nil {
		return err
	}
	name, endpoint := c.Args[0], "Peer"
	if err := ids.Check("process", name); err != nil {
		return err
	}
	p := &peer{}
	if host := c.Option("in", ""); host != "" {
		n, err := r.find(host)
		if err != nil {
			return err
		}
		p.env, endpoint = n.Env, name
	} else {
		var err error
		if _, p.env, err = r.process(name, r.conf); err != nil {
			return err
		}
	}
	var err error
	if p.self, err = p.env.Register(endpoint, &p.Peer); err != nil {
		return err
	}
	r.peers[name] = p
	return nil
}

// say makes a peer send numbers from 1 on: FROM TO [n=1].
func (r *Runner) say(c syntax.Command) error {
	if err := c.Need(2, "FROM TO [n=1]"); err != nil {
		return err
	}
	from, to := r.peers[c.Args[0]], r.peers[c.Args[1]]
	if from == nil || to == nil {
		return fmt.Errorf("%s, %s: want two peers", c.Args[0], c.Args[1])
	}
	n, err := strconv.Atoi(c.Option("n", "1"))
	if err != nil || n < 1 || n > 1<<20 {
		return errors.New("n: want a number from 1 to 1048576")
	}
	return from.env.Send(from.self, standin.Burst{To: to.self, N: n})
}

// heard prints how many numbers a peer got, and whether in order.
func (r *Runner) heard(c syntax.Command) error {
	if err := c.Need(1, "NAME"); err != nil {
		return err
	}
	p := r.peers[c.Args[0]]
	if p == nil {
		return fmt.Errorf("no peer is called %s", c.Args[0])
	}
	order := "in order"
	if !slices.IsSorted(p.Heard()) {
		order = "out of order"
	}
	fmt.Fprintf(&r.out, "%s heard %d numbers, %s\n", c.Args[0], len(p.Heard()), order)
	return nil
}

// waits prints how long messages waited for their handler: PEER/ENDPOINT [MESSAGE], the median, the 99th percentile, the
// longest.
func (r *Runner) waits(c syntax.Command) error {
	if len(c.Args) == 0 || len(c.Args) > 2 {
		return errors.New("want: waits PEER/ENDPOINT [MESSAGE]")
	}
	f := trace.Filter{From: "*", To: c.Args[0], Message: "*"}
	if len(c.Args) == 2 {
		f.Message = c.Args[1]
	}
	var all []time.Duration
	for _, e := range r.Trace().Entries {
		if e.K == trace.KindMsg && e.Handled && !e.IsAnswer() && f.Match(&e) {
			all = append(all, time.Duration(e.Start-e.Recv))
		}
	}
	if len(all) == 0 {
		fmt.Fprintf(&r.out, "%s handled none\n", c.Args[0])
		return nil
	}
	slices.Sort(all)
	fmt.Fprintf(&r.out, "%s handled %d, which waited p50=%s p99=%s max=%s\n", c.Args[0], len(all), all[len(all)/2], all[len(all)*99/100], all[len(all)-1])
	return nil
}
