package election

import (
	"slices"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// Phase is how far a Master has come.
type Phase int

// The phases, in their order.
const (
	Opening  Phase = iota // it reads its log
	Waiting               // it has no log, and asks its peers what they know of the group
	Checking              // it has a log, and asks its peers whether that is all it acknowledged
	Member                // it takes part
	Failed                // it gave up
)

func (p Phase) String() string {
	return [...]string{"OPENING", "WAITING", "CHECKING", "MEMBER", "FAILED"}[p]
}

// Election is the endpoint. Spark has no such endpoint: there ZooKeeper elects.
type Election struct {
	cfg   Config
	peers []rpcenv.Address // the number of a Master is its place here, from 1
	self  uint64
	group uint64 // digest of the peers
	phase Phase

	// Waiting.
	answers map[rpcenv.Address]*deploy.GroupState
	doubted map[rpcenv.Address]bool
	asked   int

	// Member.
	node     *raft.RawNode
	storage  *raft.MemoryStorage // what of the log is durable
	identity *deploy.LogIdentity
	vote     *deploy.LogVote // as it was last handed to the log, which may have an earlier commit
	behind   bool
	goal     position            // what the leader last said is committed, and its term
	floor    position            // what others had committed when this Master asked them
	checking bool                // it asks them as a Member
	last     uint64              // index of the last entry, durable or not
	kept     *deploy.LogSnapshot // the one that storage has
	incoming *deploy.LogSnapshot // the one that is being stepped
	machine  machine

	saves  []save // handed out by raft, to be made durable
	saving bool

	role      raft.StateType
	lead      uint64
	term      uint64
	leading   uint64                   // the term in which this Master leads; 0: it does not
	announced uint64                   // the term of the ElectedLeader that Config.Tell got; 0: none in this leadership
	proposed  []rpcenv.Call[Committed] // of the leading term, in the order of their entries

	acked       map[uint64]acknowledged // what each peer must have in its log
	unreachable map[uint64]time.Time    // peers that could not be dialled, and until when nothing is sent to them
	warned      map[rpcenv.Address]string

	silence, campaign, beat, ask rpcenv.Timer
}

// position is an entry's place in a log.
type position struct{ index, term uint64 }

// before reports whether a log that ends at p is behind one that ends at q.
func (p position) before(q position) bool {
	return p.term < q.term || p.term == q.term && p.index < q.index
}

// save is something to be made durable, and what follows.
type save struct {
	batch Batch
	raft  *pb.Message // MsgStorageAppend; nil: none of raft's
	then  func(*rpcenv.Context)
}

// New makes an Election, to be registered as [Name].
func New(cfg Config) *Election {
	cfg.setDefaults()
	e := &Election{
		cfg: cfg, peers: cfg.sorted(), answers: map[rpcenv.Address]*deploy.GroupState{}, doubted: map[rpcenv.Address]bool{},
		acked: map[uint64]acknowledged{}, unreachable: map[uint64]time.Time{}, warned: map[rpcenv.Address]string{},
	}
	e.self = e.number(cfg.Self)
	e.group = Digest(e.peers)
	return e
}

// number is a peer's place among the peers, from 1; 0: it is no peer.
func (e *Election) number(a rpcenv.Address) uint64 {
	for i, p := range e.peers {
		if p == a {
			return uint64(i + 1)
		}
	}
	return 0
}

// address is the address of the peer with that number; zero: no peer has it.
func (e *Election) address(number uint64) rpcenv.Address {
	if number == 0 || number > uint64(len(e.peers)) {
		return rpcenv.Address{}
	}
	return e.peers[number-1]
}

// others are all peers but this one, in order.
func (e *Election) others() []rpcenv.Address {
	var out []rpcenv.Address
	for _, p := range e.peers {
		if p != e.cfg.Self {
			out = append(out, p)
		}
	}
	return out
}

// isOther reports whether an address is another peer's.
func (e *Election) isOther(a rpcenv.Address) bool { return slices.Contains(e.others(), a) }

// majority is how many Masters decide.
func (e *Election) majority() int { return len(e.peers)/2 + 1 }
