package invariant

import (
	"fmt"
	"slices"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// ID names a rule.
type ID string

// The rules, by their numbers.
const (
	OneLive            ID = "I1"
	Ledger             ID = "I2"
	NoLimbo            ID = "I3"
	Progress           ID = "I4"
	ToldToStop         ID = "I5"
	SameView           ID = "I6"
	FIFO               ID = "I7"
	IdempotentRegister ID = "I8"
	BoundedRetry       ID = "I9"
	NoBlock            ID = "I10"
	AskBalance         ID = "I11"
	TrueCause          ID = "I12"
	Epoch              ID = "I13"
	Convergence        ID = "I14"
	NoChurn            ID = "I15"
)

// Rule is a statement that must hold.
type Rule struct {
	ID              ID
	Name, Statement string
}

// Rules are all, in their order.
var Rules = []Rule{
	{OneLive, "one-live", "There is at most one live process of each executor, of each driver and of each container."},
	{Ledger, "ledger", "What a Master counts on a Worker, and a ResourceManager on a node, is what lives there, within two heartbeats of quiet."},
	{NoLimbo, "no-limbo", "No Worker, application, attempt, container, executor or Master stays in a state of passage beyond its deadline."},
	{Progress, "progress", "Demand that some Worker can meet is met within a second, and what some node can within six of its heartbeats; cores that nobody else can use go to the executor that can."},
	{ToldToStop, "told-to-stop", "What its Master, its ResourceManager or its driver has given up ends: no orphan lives longer than spark.worker.timeout of quiet, and on a node that is heard of than some heartbeats."},
	{SameView, "same-view", "All books of one driver have the same executors when nothing is under way."},
	{FIFO, "fifo", "What one process sends to one endpoint is handled in that order, and no order comes before the handshake that it depends on."},
	{IdempotentRegister, "idempotent-register", "A process that registers again, with the identity that was accepted, is accepted again."},
	{BoundedRetry, "bounded-retry", "What ends early is started again ever later, an application with a healthy executor is not given up for the failures of others, and one on YARN has no more attempts than its failures allow."},
	{NoBlock, "no-block", "An executor's heartbeat waits for its handler less than ten seconds, whatever else its driver does; an ApplicationMaster answers how many executors its driver wants within ten, whatever the ResourceManager does."},
	{AskBalance, "ask-balance", "An ApplicationMaster asks for as many containers of each profile as its target lacks, of those that run and start, and is given none that it did not ask for."},
	{TrueCause, "true-cause", "Each end has a reason: no handler panics, and no end is reported without its cause."},
	{Epoch, "epoch", "A message of an earlier leadership, or of a process that has been replaced, changes nothing."},
	{Convergence, "convergence", "In quiet all members of a cluster's gossip know each other within a stated time: nobody who is there is given up, and nobody who is gone is taken for present."},
	{NoChurn, "no-churn", "An application that waits for a container while a node could give one gets it; one that loses containers to others does not get them again; a driver asks for the executors that its tasks need."},
}

// Find is the rule of that id or name.
func Find(word string) (Rule, bool) {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return string(r.ID) == word || r.Name == word })
	if i < 0 {
		return Rule{}, false
	}
	return Rules[i], true
}

// Violation is a rule that was broken.
type Violation struct {
	Rule ID `json:"rule"`
	// At is when it was seen, of virtual time.
	At time.Time `json:"at"`
	// Text names the process that broke it, and says how.
	Text string `json:"text"`
}

// String is ID NAME: TEXT.
func (v Violation) String() string {
	r, _ := Find(string(v.Rule))
	return fmt.Sprintf("%s %s: %s", v.Rule, r.Name, v.Text)
}

// Config are the times that deadlines follow from.
type Config struct {
	// WorkerTimeout is spark.worker.timeout; 0: a minute.
	WorkerTimeout time.Duration
	// RecoveryTimeout is spark.deploy.recoveryTimeout; 0: WorkerTimeout.
	RecoveryTimeout time.Duration
	YARN            YARN
}

// most is how many violations of each rule are kept: one fault breaks a rule again and again.
const most = 5

// check is one rule's part of a Monitor. It may leave either half out.
type check interface {
	see(r *tracepb.Record)
	look(s *Snapshot)
}

// Monitor watches one cluster. It belongs to one goroutine.
type Monitor struct {
	cfg    Config
	past   *history
	checks []check
	found  []Violation
	known  map[string]bool // rule and text of violations: each is found again at each look
	broken map[ID]int
	judged map[ID]int
}

// New makes a Monitor of all rules.
func New(cfg Config) *Monitor {
	if cfg.WorkerTimeout <= 0 {
		cfg.WorkerTimeout = time.Minute
	}
	if cfg.RecoveryTimeout <= 0 {
		cfg.RecoveryTimeout = cfg.WorkerTimeout
	}
	cfg.YARN = cfg.YARN.filled()
	m := &Monitor{cfg: cfg, past: newHistory(cfg.YARN.silence()), known: map[string]bool{}, broken: map[ID]int{}, judged: map[ID]int{}}
	m.checks = []check{
		newOneLive(m), newLedger(m), newLimbo(m), newProgress(m), newGrowth(m), newOrphans(m), newNodes(m), newViews(m), newOrder(m),
		newRegistrations(m), newRetries(m), newAttempts(m), &latency{Monitor: m}, newAsks(m), newChurn(m), newCauses(m), newEpochs(m), newConvergence(m),
	}
	return m
}

// See takes the next record of the trace.
func (m *Monitor) See(r *tracepb.Record) {
	// The history first, since the checks look things up in it, and what it forgets last.
	m.past.see(r)
	for _, c := range m.checks {
		c.see(r)
	}
	m.past.forget(r)
}

// Look compares the processes with the books.
func (m *Monitor) Look(s Snapshot) {
	m.past.advance(s.Now)
	for _, c := range m.checks {
		c.look(&s)
	}
}

// Violations are those found so far, in the order in which they were seen; at most five of each rule.
func (m *Monitor) Violations() []Violation { return slices.Clone(m.found) }

// Judged is how often each rule was judged: without a judgement, no violation proves nothing.
func (m *Monitor) Judged() map[ID]int { return m.judged }

func (m *Monitor) fail(rule ID, format string, args ...any) {
	v := Violation{rule, m.past.now, fmt.Sprintf(format, args...)}
	key := string(rule) + v.Text
	if m.broken[rule] >= most || m.known[key] {
		return
	}
	m.known[key] = true
	m.broken[rule]++
	m.found = append(m.found, v)
}

// overdue breaks a rule by each thing that has been so for longer than limit. What was so before the last fault ended does not count.
func (m *Monitor) overdue(rule ID, s *Snapshot, since since, things map[string]string, limit time.Duration) {
	since.hold(s.Now, things, func(what string, d time.Duration) {
		if min(d, s.Quiet) > limit {
			m.fail(rule, "%s", things[what])
		}
	})
}

// seen is the half of a check that only looks, looked of one that only sees.
type (
	seen   struct{}
	looked struct{}
)

func (seen) see(*tracepb.Record) {}
func (looked) look(*Snapshot)    {}

// heartbeat is how often a Worker is heard of.
func (m *Monitor) heartbeat() time.Duration { return m.cfg.WorkerTimeout / 4 }

// since knows since when something is so.
type since map[string]time.Time

// hold takes the things that are so now, and calls each with every one of them and for how long it has been so.
func (s since) hold(now time.Time, things map[string]string, each func(what string, d time.Duration)) {
	for what := range s { // a thing that stopped being so counts anew when it is so again
		if _, ok := things[what]; !ok {
			delete(s, what)
		}
	}
	for what := range things {
		if _, ok := s[what]; !ok {
			s[what] = now
		}
	}
	for _, what := range sorted(things) {
		each(what, now.Sub(s[what]))
	}
}
