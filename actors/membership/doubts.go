package membership

import (
	"slices"

	"github.com/coherer/coherer/rpcenv"
)

// Doubts are the nodes of a Master, or of a ResourceManager, of which the cluster's gossip says that they may be gone. A suspicion makes
// the manager ask the node at once. When the node leaves two questions in a row unanswered, each for coherer.gossip.askTimeout, and the gossip
// gives it up too, the manager gives it up as if the node had been silent for its whole time-out. One question would not do: a manager
// that stood still itself finds the time of its question over before it reads the answer.
//
// A node that answers stays, whatever the gossip says; so a gossip that is wrong, or lies, costs questions only. Spark and Hadoop have no
// gossip: there a node that is frozen or cut off is missed after its time-out alone.
type Doubts struct {
	nodes Nodes
	about map[rpcenv.Address]*doubt
}

// Nodes are the nodes of a manager.
type Nodes struct {
	// Endpoint is the name of the endpoint that each has.
	Endpoint string
	// Has reports whether a node listens at an address that is in the books and not given up.
	Has func(rpcenv.Address) bool
	// GiveUp gives such a node up; why is the reason. A handler calls it.
	GiveUp func(c *rpcenv.Context, at rpcenv.Address, why string)
}

// NewDoubts makes Doubts about nodes.
func NewDoubts(n Nodes) *Doubts { return &Doubts{nodes: n, about: map[rpcenv.Address]*doubt{}} }

// doubt is what speaks against the node at an address.
type doubt struct {
	at     rpcenv.Address
	signs  []*sign
	asked  bool // a question is under way
	missed int  // questions in a row that had no answer
}

// sign is what the gossip says of a member that listens at the address: the node, an earlier run of it, or one that only says so.
type sign struct {
	Member
	by     []string // who had no answer, for the reason: two at most
	failed bool     // the gossip has given it up
}

// mostSigns bounds the members of which signs are kept for an address.
const mostSigns = 8

// News takes what the endpoint Membership reports of a member; of one that is no node it takes nothing. A suspicion or a failure asks the node
// unless a question is under way, so that a duplicate asks again. A doubt is kept until it ends, or the manager calls Forget.
func (d *Doubts) News(c *rpcenv.Context, news rpcenv.Message) {
	switch n := news.(type) {
	case MemberSuspected:
		d.sign(c, n.Member, func(s *sign) {
			if len(s.by) < 2 && !slices.Contains(s.by, n.By) {
				s.by = append(s.by, n.By)
			}
		})
	case MemberFailed:
		d.sign(c, n.Member, func(s *sign) { s.failed = true })
	case MemberRefuted:
		d.forget(n.Member)
	case MemberJoined:
		d.forget(n.Member)
	case MemberLeft:
		d.forget(n.Member)
	}
}

// Forget ends a doubt about whatever node is at an address: it has shown that it is there, or it is given up. Without one it does nothing.
func (d *Doubts) Forget(at rpcenv.Address) { delete(d.about, at) }

// forget drops what was said of a member.
func (d *Doubts) forget(m Member) {
	x := d.about[m.RPC]
	if x == nil {
		return
	}
	x.signs = slices.DeleteFunc(x.signs, func(s *sign) bool { return s.Member == m })
	if len(x.signs) == 0 {
		d.Forget(m.RPC)
	}
}

// sign notes what is said of a member, if it is a node, and weighs it.
func (d *Doubts) sign(c *rpcenv.Context, m Member, note func(*sign)) {
	if !d.nodes.Has(m.RPC) {
		return
	}
	x := d.about[m.RPC]
	if x == nil {
		x = &doubt{at: m.RPC}
		d.about[m.RPC] = x
	}
	i := slices.IndexFunc(x.signs, func(s *sign) bool { return s.Member == m })
	if i < 0 {
		if len(x.signs) == mostSigns {
			return
		}
		i = len(x.signs)
		x.signs = append(x.signs, &sign{Member: m})
	}
	note(x.signs[i])
	d.weigh(c, x)
}

// weigh gives the node up if both speak against it, or else asks it.
func (d *Doubts) weigh(c *rpcenv.Context, x *doubt) {
	failed := slices.IndexFunc(x.signs, func(s *sign) bool { return s.failed })
	switch {
	case x.asked:
	case x.missed > 1 && failed >= 0:
		d.Forget(x.at)
		if d.nodes.Has(x.at) { // else the end of its connection was quicker
			d.nodes.GiveUp(c, x.at, x.signs[failed].why())
		}
	default:
		d.ask(c, x)
	}
}

func (d *Doubts) ask(c *rpcenv.Context, x *doubt) {
	node := rpcenv.Ref{Address: x.at, Name: d.nodes.Endpoint}
	if x.missed == 0 {
		c.Log().Warnf("%s is suspected to be gone, asking it", node)
	}
	x.asked = true
	// The node's Env answers, and its endpoint need not: a busy one counts as present.
	rpcenv.Resolve(c, node.String(), func(_ rpcenv.Ref, err error) {
		x.asked = false
		switch {
		case d.about[x.at] != x: // the doubt has ended
			return
		case err == nil:
			d.Forget(x.at)
			c.Log().Infof("%s is there", node)
			return
		}
		x.missed++
		if x.missed == 1 || slices.ContainsFunc(x.signs, func(s *sign) bool { return s.failed }) {
			d.weigh(c, x)
			return
		}
		c.Log().WithError(err).Warnf("%s did not answer", node)
	}, rpcenv.Timeout(AskTimeout.Source(c.Conf()), AskTimeout.Get(c.Conf())))
}

// why is the reason to give the node up.
func (s *sign) why() string {
	why := "Gave no answer"
	if len(s.by) > 0 {
		why += ", nor to " + address(s.by[0])
	}
	if len(s.by) > 1 {
		why += " and " + address(s.by[1])
	}
	return why + ", and the gossip of the cluster has given it up"
}
