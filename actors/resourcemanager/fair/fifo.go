//coherer:pure

package fair

import (
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// FIFO is Hadoop's FifoScheduler: one queue, applications in the order of their arrival, no limits, no reservations and no
// preemption. The calls that it does not change are those of Scheduler.
type FIFO struct{ *Scheduler }

// fifoQueue is the one queue, whatever a submission asks for.
const fifoQueue = "default"

const fifoAllocations = `<allocations><queue name="default"><schedulingPolicy>fifo</schedulingPolicy></queue>
	<queuePlacementPolicy><rule name="default"/></queuePlacementPolicy></allocations>`

// NewFIFO is a scheduler without nodes and applications. Of conf it uses Minimum, to whose multiples asks are rounded up, and
// Maximum.
func NewFIFO(now time.Duration, conf Config) (*FIFO, error) {
	allocations, _ := parseAllocations([]byte(fifoAllocations), Options{}) // ours, and right
	conf.Minimum.Memory = max(conf.Minimum.Memory, 1)                      // memory alone ends the giving
	conf.Increment = conf.Minimum.Max(Resource{1, 1})
	s, err := New(now, conf, allocations)
	if err != nil {
		return nil, err
	}
	return &FIFO{s}, nil
}

// AddApp accepts every application.
func (f *FIFO) AddApp(now time.Duration, id ids.Application, sub Submission) (queue string, err error) {
	_, err = f.Scheduler.AddApp(now, id, sub)
	return fifoQueue, err
}

// Allocate is Scheduler.Allocate; the headroom is all that is free.
func (f *FIFO) Allocate(now time.Duration, id ids.Attempt, d Demand) (Grant, error) {
	g, err := f.Scheduler.Allocate(now, id, d)
	g.Headroom = f.available.Max(Resource{})
	return g, err
}

// App is Scheduler.App.
func (f *FIFO) App(id ids.Attempt) (AppState, bool) {
	a, ok := f.Scheduler.App(id)
	a.Queue = fifoQueue
	return a, ok
}

// Queues is the one queue.
func (f *FIFO) Queues() []QueueState {
	for _, q := range f.Scheduler.Queues() {
		if q.Leaf {
			q.Name = fifoQueue
			return []QueueState{q}
		}
	}
	return nil
}

// NodeUpdate takes a node's news and gives all that fits there: to each application in turn, for each of its keys in turn
// the asks for the host, then the rack, then anywhere. A key of which nothing fits ends the application's turn.
func (f *FIFO) NodeUpdate(now time.Duration, id string, launched []ids.Container, ended []Ended) ([]Event, error) {
	n, err := f.news(now, id, launched, ended)
	if err != nil {
		return nil, err
	}
	if !n.drained {
		f.offer(n)
	}
	f.refresh()
	return f.take(), nil
}

func (f *FIFO) offer(n *node) {
	for _, q := range f.leaves {
		for _, a := range q.apps {
			if a.blocks(n) {
				continue
			}
			for i := 0; i < len(a.active); i++ {
				r := a.active[i]
				if f.offerKey(a, r, n) == 0 {
					break // less urgent keys must not overtake it
				}
				if !r.active { // it got all and left a.active: the next one has its index now
					i--
				}
			}
			if n.free.Memory < f.conf.Minimum.Memory { // memory alone counts, as in Hadoop
				return
			}
		}
	}
}

// offerKey gives the containers of one key that fit, near places first, and returns their number.
func (f *FIFO) offerKey(a *app, r *requests, n *node) (given int) {
	for level := nodeLocal; level <= offSwitch; level++ {
		for r.any.count > 0 {
			host, rack := r.at(n.host), r.at(n.rack)
			at := &r.any
			switch {
			case level == nodeLocal && host.pending() > 0 && rack.pending() > 0:
				at = host
			case level == rackLocal && rack.pending() > 0 && rack.relax:
				at = rack
			case level == offSwitch && r.any.relax && rack.relaxed():
			default:
				at = nil
			}
			if at == nil || at.capability.Memory > n.free.Memory {
				break // the next level
			}
			f.give(f.newContainer(a, r.Key, n, at.capability), r, level)
			given++
		}
	}
	return given
}
