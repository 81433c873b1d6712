package barrier

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// ErrSync fails a request that cannot pass its barrier; the text says why, in Spark's words.
var ErrSync = rpcenv.NewRefusal("barrier.sync", "barrier sync failed")

// Coordinator is the endpoint.
type Coordinator struct {
	attempts map[id]*barrier
}

// New makes a Coordinator without stages.
func New() *Coordinator { return &Coordinator{attempts: map[id]*barrier{}} }

// Receive is a callback of the endpoint.
func (o *Coordinator) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *app.RequestToSync:
		o.requestToSync(c, m)
	case StageStart:
		at := id{m.Stage, m.Attempt}
		o.attempts[at] = &barrier{id: at, tasks: m.Tasks}
	case StageEnd:
		o.stageEnd(c, m)
	case SyncTimeout:
		o.syncTimeout(c, m)
	default:
		c.Unsupported(m)
	}
}

func (o *Coordinator) requestToSync(c *rpcenv.Context, m *app.RequestToSync) {
	at := id{m.GetStageId(), m.GetStageAttemptId()}
	b := o.attempts[at]
	if b == nil {
		rpcenv.Fail(c, m, fmt.Errorf("%w: %s", ErrSync, finished(at, m)))
		return
	}
	if why, all := b.refuse(m); why != "" {
		if all {
			o.fail(c, b, why)
		}
		rpcenv.Fail(c, m, fmt.Errorf("%w: %s", ErrSync, why))
		return
	}
	if len(b.waiting) == 0 {
		b.method = m.GetRequestMethod()
		b.timer = c.After(syncTimeout.Get(c.Conf()), SyncTimeout{Stage: at.stage, Attempt: at.attempt, Epoch: b.epoch})
	}
	b.waiting = append(b.waiting, waiter{m.GetPartitionId(), m.GetMessage(), rpcenv.Defer(c, m)})
	c.Log().Infof("Barrier sync epoch %d from %s received update from Task %d, current progress: %d/%d.",
		b.epoch, at, m.GetTaskAttemptId(), len(b.waiting), b.tasks)
	if len(b.waiting) == int(b.tasks) {
		o.pass(c, b)
	}
}

// pass lets all tasks go on.
func (o *Coordinator) pass(c *rpcenv.Context, b *barrier) {
	c.Log().Infof("Barrier sync epoch %d from %s received all updates from tasks, finished successfully.", b.epoch, b.id)
	c.Cancel(b.timer)
	all := &app.SyncMessages{Messages: b.messages()}
	for _, w := range b.waiting {
		w.answer.Reply(all)
	}
	b.waiting = nil
	b.epoch++
}

// fail ends the barriers of an attempt: its tasks fail, and so does the attempt.
func (o *Coordinator) fail(c *rpcenv.Context, b *barrier, why string) {
	c.Cancel(b.timer)
	for _, w := range b.waiting {
		w.answer.Fail(fmt.Errorf("%w: %s", ErrSync, why))
	}
	b.waiting = nil
	b.epoch = over
}

func (o *Coordinator) syncTimeout(c *rpcenv.Context, m SyncTimeout) {
	// A timer that was on its way when its barrier was passed is of an epoch that is over.
	if b := o.attempts[id{m.Stage, m.Attempt}]; b != nil && b.epoch == m.Epoch {
		o.fail(c, b, fmt.Sprintf("The coordinator didn't get all barrier sync requests for barrier epoch %d from %s within %d second(s).",
			b.epoch, b.id, syncTimeout.Get(c.Conf())/time.Second))
	}
}

// stageEnd fails the tasks that still wait: with an attempt that was given up they are killed anyhow.
func (o *Coordinator) stageEnd(c *rpcenv.Context, m StageEnd) {
	at := id{m.Stage, m.Attempt}
	if b := o.attempts[at]; b != nil {
		o.fail(c, b, fmt.Sprintf("%s is over.", at))
		delete(o.attempts, at)
	}
}
