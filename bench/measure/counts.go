package measure

import (
	"fmt"
	"sync"
	"time"

	"github.com/coherer/coherer/messages/app"
)

// Received is what the receiving side counted in the measured batch, all receivers together.
type Received struct {
	Messages uint64 `json:"messages"`
	// Bytes are those of the messages' encodings.
	Bytes uint64 `json:"bytes"`
	// Elapsed is from the first message to the last.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Used is what the process used meanwhile.
	Used Usage `json:"used"`
	// Latency is the age of those tells that carried the time; empty for asks.
	Latency Histogram `json:"latency"`
	// Fault is the first thing wrong with the messages received; empty is good.
	Fault string `json:"fault,omitempty"`
}

// counts is what all sinks of a trial share, as the group is for the sending sides.
type counts struct {
	spec *Spec
	now  func() time.Time // the clock; tests have another one

	mu   sync.Mutex
	over [batches]int // pairs whose batch is through
	used Usage        // by the process when the batch began
	// began and ended are the first and the last message of the measured batch, of all pairs.
	began, ended time.Time
	result       Received
}

func newCounts(spec *Spec) *counts { return &counts{spec: spec, now: time.Now, used: used()} }

// end takes the end of a pair's batch.
func (c *counts) end(in *intake) {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over[in.number]++
	switch in.number {
	case 0:
		// From the first pair that is through: what the others have still under way is less than what would be missed.
		if c.over[0] == 1 {
			c.used = used()
		}
		c.fault(in.fault)
		return
	case batches - 1:
		if c.over[in.number] == c.spec.Pairs {
			c.result.Used = used().since(c.used)
		}
	}
	if c.began.IsZero() || in.began.Before(c.began) {
		c.began = in.began
	}
	if now.After(c.ended) {
		c.ended = now
	}
	c.result.Messages += in.messages
	c.result.Bytes += in.messages * uint64(c.spec.Size)
	c.result.Latency.Merge(&in.latency)
	c.fault(in.fault)
}

// begin begins a batch of operations.
func (c *counts) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used, c.began = used(), c.now()
}

// endOperations ends a batch of operations, which is that of all pairs.
func (c *counts) endOperations(n uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = c.now()
	c.result = Received{Messages: n, Used: used().since(c.used)}
	number := 0
	if c.over[0] > 0 {
		number = batches - 1
	}
	c.over[number] = c.spec.Pairs
}

// late is a message of a pair that was through.
func (c *counts) late(m *app.StatusUpdate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault(fmt.Sprintf("a message of pair %d came after its last one", PairOf(m)))
}

func (c *counts) fault(text string) {
	if c.result.Fault == "" {
		c.result.Fault = text
	}
}

// measured is what was counted in the measured batch; an error when it is not over.
func (c *counts) measured() (*Received, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.over[batches-1]; n != c.spec.Pairs {
		return nil, fmt.Errorf("the measured batch of %d pairs has ended, want %d", n, c.spec.Pairs)
	}
	c.result.Elapsed = c.ended.Sub(c.began)
	return &c.result, nil
}
