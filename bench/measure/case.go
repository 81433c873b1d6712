package measure

import "slices"

// Case is the name of what is measured: one of Cases.
type Case string

// The cases of messages. Local ones take place in one process, remote ones between two.
const (
	LocalTell  Case = "local-tell"
	LocalAsk   Case = "local-ask"
	RemoteTell Case = "remote-tell"
	RemoteAsk  Case = "remote-ask"
	// OneWay is a flood of tells that the receiver acknowledges only at its end.
	OneWay Case = "one-way"
	// FanIn is tells of many senders to one receiver, FanOut those of one sender to many receivers.
	FanIn  Case = "fan-in"
	FanOut Case = "fan-out"
)

// The cases of operations.
const (
	// EndpointSpawn registers an endpoint until its OnStart ran, and stops it.
	EndpointSpawn Case = "endpoint-spawn"
	// Connect makes a connection to a peer, with its handshake, until a first answer, and closes it.
	Connect Case = "connect"
)

// The cases of the protocol's own flows, between a role and as many hollow peers as there are pairs. Package flows says what
// one operation is.
const (
	RegisterWorker    Case = "register-worker"
	Heartbeat         Case = "heartbeat"
	LaunchExecutor    Case = "launch-executor"
	LaunchTask        Case = "launch-task"
	AllocateContainer Case = "allocate-container"
)

// Kind is how a case is driven.
type Kind int

// The kinds.
const (
	KindNone Kind = iota // of an unknown case
	// KindTell is messages that the receiver counts: a Tell drives each pair.
	KindTell
	// KindAsk is messages with an answer each: an Ask drives each pair.
	KindAsk
	// KindOp is operations without a message of ours: one Ops drives them.
	KindOp
)

// row describes a case.
type row struct {
	name   Case
	unit   string // what is counted, in the plural
	remote bool
	kind   Kind
	pairs  int // at most
	peers  bool
}

// maxPairs bounds the pairs of messages: each has a histogram of 280 KB.
const maxPairs = 1000

// maxPeers bounds the peers of a role: of the ports for listening and dialling a machine has 28,000, and each takes two.
const maxPeers = 12000

var rows = []row{
	{LocalTell, "msgs", false, KindTell, maxPairs, false},
	{LocalAsk, "asks", false, KindAsk, maxPairs, false},
	{RemoteTell, "msgs", true, KindTell, maxPairs, false},
	{RemoteAsk, "asks", true, KindAsk, maxPairs, false},
	{OneWay, "msgs", true, KindTell, maxPairs, false},
	{FanIn, "msgs", true, KindTell, maxPairs, false},
	{FanOut, "msgs", true, KindTell, maxPairs, false},
	{EndpointSpawn, "spawns", false, KindOp, 1, false},
	{Connect, "connects", true, KindOp, 1, false},
	{RegisterWorker, "registrations", true, KindOp, maxPeers, true},
	{Heartbeat, "heartbeats", true, KindOp, maxPeers, true},
	{LaunchExecutor, "executors", true, KindOp, maxPeers, true},
	{LaunchTask, "tasks", true, KindOp, maxPeers, true},
	{AllocateContainer, "containers", true, KindOp, maxPeers, true},
}

// Cases returns all of them, in the order of a report.
func Cases() []Case {
	names := make([]Case, len(rows))
	for i, r := range rows {
		names[i] = r.name
	}
	return names
}

func (c Case) row() row {
	if i := slices.IndexFunc(rows, func(r row) bool { return r.name == c }); i >= 0 {
		return rows[i]
	}
	return row{name: c}
}

// Known reports whether c is one of Cases.
func (c Case) Known() bool { return c.row().kind != KindNone }

// Kind is how c is driven.
func (c Case) Kind() Kind { return c.row().kind }

// Remote reports whether c is between two processes.
func (c Case) Remote() bool { return c.row().remote }

// Unit is what is counted, in the plural: msgs, asks, spawns.
func (c Case) Unit() string { return c.row().unit }

// Ask reports whether messages are answered.
func (c Case) Ask() bool { return c.Kind() == KindAsk }

// Sized reports whether Spec.Size means something: the case sends messages of ours. Else it is 0.
func (c Case) Sized() bool { return c.Kind() == KindTell || c.Kind() == KindAsk }

// Windowed reports whether Spec.InFlight means something. Else it is 0.
func (c Case) Windowed() bool { return c != OneWay }

// defaultPeers is enough for a role to have many, and little to set up.
const defaultPeers = 100

// defaultFan is how many senders or receivers there are when no number is given.
const defaultFan = 4

// DefaultPairs is how many pairs c has when none are given.
func (c Case) DefaultPairs() int {
	switch {
	case c.Peers():
		return defaultPeers
	case c == FanIn || c == FanOut:
		return defaultFan
	}
	return 1
}

// Peers reports whether pairs are the peers of one role, each with at most one operation under way.
func (c Case) Peers() bool { return c.row().peers }
