package reader

import (
	"errors"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/metrics"
)

// Name is the endpoint's.
const Name = "Metrics"

// Patience is how long the Envs in client mode may take to answer; one that has not counts as silent. It covers an executor
// that a loaded machine does not let run for a second. Settings do not name it.
const Patience = 2 * time.Second

// patienceKey is what a failure of such an ask would say.
const patienceKey = "the patience of the endpoint Metrics"

// mostClients is how many Envs in client mode are asked at most, those that connected first.
const mostClients = metrics.MaxPeers

// Counters are what is read: a *rpcenv.Env.
type Counters interface {
	// Metrics are the counters now.
	Metrics() metrics.Snapshot
	// Time makes waiting and handling measured.
	Time()
	// Clients are the endpoints of a name in the Envs in client mode that are connected.
	Clients(name string) []rpcenv.Ref
}

// Metrics is the endpoint. Its only state are the answers that it gathers.
type Metrics struct {
	counters Counters
}

// New makes a Metrics.
func New(counters Counters) *Metrics { return &Metrics{counters} }

// Register gives an Env its Metrics.
func Register(e *rpcenv.Env) error {
	_, err := e.Register(Name, New(e), rpcenv.Untraced())
	return err
}

// Receive handles the endpoint's messages.
func (m *Metrics) Receive(c *rpcenv.Context, msg rpcenv.Message) {
	switch msg := msg.(type) {
	case *tracepb.ReadMetrics:
		m.readMetrics(c, msg)
	default:
		c.Unsupported(msg)
	}
}

func (m *Metrics) readMetrics(c *rpcenv.Context, q *tracepb.ReadMetrics) {
	if q.GetTimes() { // measured from now on, for good
		m.counters.Time()
	}
	answer := Encode(m.counters.Metrics())
	var clients []rpcenv.Ref
	if q.GetClients() {
		clients = m.counters.Clients(Name)
	}
	if len(clients) == 0 {
		rpcenv.Reply(c, q, answer)
		return
	}
	// Envs in client mode can be reached by no one but this Env: it asks them for its caller.
	call := rpcenv.Defer(c, q)
	clients = clients[:min(len(clients), mostClients)]
	left := len(clients)
	answers := make([]*tracepb.MetricsRead, len(clients))
	for i, ref := range clients {
		rpcenv.Ask(c, ref, &tracepb.ReadMetrics{Times: q.GetTimes()}, func(r *tracepb.MetricsRead, err error) {
			switch {
			case err == nil:
				answers[i] = r
			case errors.Is(err, rpcenv.ErrUnreachableTimeout): // others have no Metrics, or are gone
				answer.SilentClients = append(answer.SilentClients, ref.Address.String())
			}
			if left--; left > 0 {
				return
			}
			// In the order of the clients, not of the answers.
			for _, r := range answers {
				if r != nil {
					answer.Clients = append(answer.Clients, r)
				}
			}
			call.Reply(answer)
		}, rpcenv.Timeout(patienceKey, Patience))
	}
}
