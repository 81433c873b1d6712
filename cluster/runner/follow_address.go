package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/cluster/boot"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// tracerName is the endpoint of each process that shows what it has seen lately.
const tracerName = "Tracer"

// FollowProcesses asks processes by their addresses, at each tick, what they have seen, and gives it to emit: the messages
// that each has sent and handled, without their fields, from the oldest that it still has. It ends when all have ended, when ctx
// has, or with emit's error. A process that cannot be asked at the beginning is an error; note hears of one that ends later, or
// records faster than it can be asked.
func FollowProcesses(
	ctx context.Context, addresses []rpcenv.Address, ticks <-chan time.Time, emit func(*trace.Trace) error, note func(error),
) (err error) {
	own, err := boot.Open(boot.Options{}, rpcenv.Config{Name: "Follow"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, own.Close()) }()
	b := own.Env.Blocking(ctx)
	defer b.Close()
	follower := trace.NewFollower(executor.Family)
	all := make([]asked, len(addresses))
	for i, a := range addresses {
		all[i].address = a
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks:
		}
		left := 0
		for i := range all {
			p := &all[i]
			if p.ended {
				continue
			}
			if err := p.read(b, follower, note); err != nil && !b.Done() {
				return err
			}
			if !p.ended {
				left++
			}
		}
		if b.Done() {
			return nil
		}
		t := follower.Settled(time.Time{}) // an answer holds only what has happened already
		t.Source = "run"
		if err := emit(t); err != nil || left == 0 {
			return err
		}
	}
}

// asked is a process that is followed.
type asked struct {
	address rpcenv.Address
	cursor  []byte
	begun   bool
	ended   bool
}

// read takes what is new.
func (p *asked) read(b *rpcenv.Blocking, follower *trace.Follower, note func(error)) error {
	for {
		read, err := rpcenv.AskWait(b, rpcenv.Ref{Address: p.address, Name: tracerName}, &tracepb.ReadTrace{Cursor: p.cursor})
		switch {
		case err != nil && !p.begun:
			return fmt.Errorf("follow %s: %w: want the address of a process that runs and has an endpoint %s", p.address, err, tracerName)
		case err != nil:
			p.ended = true
			if !b.Done() {
				note(fmt.Errorf("%s has ended: %w", p.address, err))
			}
			return nil
		}
		// Before the first read entries may well be lost: the process keeps its last ones only.
		if lost := read.GetLost(); lost > 0 && p.begun {
			note(fmt.Errorf("%s: %d entries came faster than they could be read", p.address, lost))
		}
		p.begun, p.cursor = true, read.GetNext()
		follower.Add(p.address.String(), read.GetRecords())
		if !read.GetMore() {
			return nil
		}
	}
}
