package bus

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/rpcenv"
)

// Log writes the event log of one application. Its methods are called in bodies, one at a time, and may wait.
type Log interface {
	// Start begins the log of an application. It is called once, first.
	Start(appID string) error
	// Write takes whole lines, each with its line end.
	Write(lines [][]byte) error
	// End closes the log and gives it its final name.
	End() error
}

// SayDropped is the timer that says how many events were dropped.
type SayDropped struct{ rpcenv.Local }

// mostBatch is how many lines one call of Write takes.
const mostBatch = 1000

// logger hands lines to a Log, in bodies of one lane.
type logger struct {
	to       Log
	capacity int
	lines    [][]byte // that wait
	busy     bool     // a body runs
	started  bool
	ending   bool // End follows the lines
	done     bool // nothing more is written
	dropped  int  // since it was said
	said     bool // that events are dropped
	// since is when the number of dropped events was said last; the zero time: never.
	since   time.Time
	waiting []func()
	timer   rpcenv.Timer
	// head is how many lines may wait beyond capacity: those without which nobody can read the log.
	head int
}

func (l *logger) start(c *rpcenv.Context) {
	l.capacity = queueCapacity.Get(c.Conf())
	l.done = l.to == nil
}

// begin starts the log of an application.
func (l *logger) begin(c *rpcenv.Context, appID string) {
	if l.done || l.started {
		return
	}
	l.started, l.head = true, headLines
	l.run(c, func() error { return l.to.Start(appID) })
}

// add writes an event, unless too many wait.
func (l *logger) add(c *rpcenv.Context, e listener.Event) {
	if l.done || l.ending {
		return
	}
	if l.head > 0 {
		l.head--
	} else if len(l.lines) >= l.capacity {
		l.drop(c)
		return
	}
	line, err := listener.Encode(e)
	if err != nil { // a fault of ours; the log goes on without the event
		c.Log().Errorf("Event log: %v", err)
		return
	}
	l.lines = append(l.lines, append(line, '\n'))
	l.next(c)
}

// drop counts an event that has no room. The log has Spark's words, which runbooks look for: once that events are dropped, and at most once
// a minute how many. It mirrors AsyncEventQueue.post.
func (l *logger) drop(c *rpcenv.Context) {
	if l.dropped++; !l.timer.Active() {
		l.timer = c.After(droppedEvery, SayDropped{})
	}
	if !l.said {
		l.said = true
		c.Log().Error("Dropping event from queue eventLog. This likely means one of the listeners is too slow and cannot keep up " +
			"with the rate at which tasks are being started by the scheduler.")
	}
}

func (l *logger) sayDropped(c *rpcenv.Context) {
	if l.dropped == 0 {
		return
	}
	since := "the application started"
	if !l.since.IsZero() {
		since = l.since.Format(time.DateTime)
	}
	c.Log().Warnf("Dropped %d events from eventLog since %s. The application is faster than its event log: raise %s", l.dropped, since,
		queueCapacity.Key())
	l.dropped, l.since = 0, c.Now()
}

// end closes the log when all lines are written.
func (l *logger) end(c *rpcenv.Context) {
	l.sayDropped(c)
	l.ending = true
	l.next(c)
}

// whenEnded calls f when the log is closed, or is not written.
func (l *logger) whenEnded(c *rpcenv.Context, f func()) {
	l.waiting = append(l.waiting, f)
	l.next(c)
}

// next writes what waits, when nothing is being written.
func (l *logger) next(c *rpcenv.Context) {
	switch {
	case l.busy:
	case !l.done && len(l.lines) > 0:
		n := min(len(l.lines), mostBatch)
		batch := l.lines[:n:n]
		l.lines = l.lines[n:]
		l.run(c, func() error { return l.to.Write(batch) })
	case !l.done && l.ending && l.started:
		l.run(c, func() error {
			l.done = true
			return l.to.End()
		})
	default:
		l.done = l.done || l.ending
		if l.done {
			for _, f := range l.waiting {
				f()
			}
			l.waiting = nil
		}
	}
}

// run calls the Log in a body. Its failure ends the log, not the application.
func (l *logger) run(c *rpcenv.Context, body func() error) {
	l.busy = true
	rpcenv.Run(c, "event log", func(*rpcenv.Blocking) (struct{}, error) { return struct{}{}, body() }, func(_ struct{}, err error) {
		l.busy = false
		if err != nil {
			l.done, l.lines = true, nil
			c.Log().Warn(fmt.Errorf("the event log ends here, the application goes on: %w", err))
		}
		l.next(c)
	})
}
