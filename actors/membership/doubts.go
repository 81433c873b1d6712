package membership

import (
	"slices"

	"github.com/coherer/coherer/rpcenv"
)

// Doubts are the nodes of a Master, or of a ResourceManager, of which the cluster's gossip says that they may be gone. A suspicion makes
// the manager ask the node at once. When the node does not answer within coherer.gossip.askTimeout, and the gossip gives it up too, the manager
// gives it up as if the node had been silent for its whole time-out.
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
	// Has reports whether a member is a node that is in the books and not given up.
	Has func(Member) bool
	// GiveUp gives a node up; why is the reason. A handler calls it, for a node that Has.
	GiveUp func(c *rpcenv.Context, m Member, why string)
}

// NewDoubts makes Doubts about nodes.
func NewDoubts(n Nodes) *Doubts { return &Doubts{nodes: n, about: map[rpcenv.Address]*doubt{}} }

// doubt is what speaks against one run of a node.
type doubt struct {
	Member
	by     []string // who had no answer, for the reason: two at most
	failed bool     // the gossip has given it up
	asked  bool     // a question is under way
	silent bool     // the latest question had no answer
}

// News takes what the endpoint Membership reports of a member; of one that is no node it takes nothing. A suspicion or a failure asks the node
// unless a question is under way, so that a duplicate asks again. A doubt is kept until it ends, or the manager calls Forget.
func (d *Doubts) News(c *rpcenv.Context, news rpcenv.Message) {
	switch n := news.(type) {
	case MemberSuspected:
		if x := d.of(n.Member); x != nil {
			x.accused(n.By)
			d.weigh(c, x)
		}
	case MemberFailed:
		if x := d.of(n.Member); x != nil {
			x.failed = true
			d.weigh(c, x)
		}
	case MemberRefuted:
		d.forget(n.Member)
	case MemberJoined:
		d.forget(n.Member)
	case MemberLeft:
		d.forget(n.Member)
	}
}

// accused notes who had no answer.
func (x *doubt) accused(by string) {
	if len(x.by) < 2 && !slices.Contains(x.by, by) {
		x.by = append(x.by, by)
	}
}

// Forget ends a doubt about whatever node is at an address: it has shown that it is there, or it is given up. Without one it does nothing.
func (d *Doubts) Forget(at rpcenv.Address) { delete(d.about, at) }

func (d *Doubts) forget(m Member) {
	if x := d.about[m.RPC]; x != nil && x.Member == m {
		d.Forget(m.RPC)
	}
}

// of is the doubt about a member, nil if it is no node; a doubt about an earlier run at its address ends.
func (d *Doubts) of(m Member) *doubt {
	if !d.nodes.Has(m) {
		return nil
	}
	if x := d.about[m.RPC]; x != nil && x.Member == m {
		return x
	}
	x := &doubt{Member: m}
	d.about[m.RPC] = x
	return x
}

// weigh gives the node up if both speak against it, or else asks it.
func (d *Doubts) weigh(c *rpcenv.Context, x *doubt) {
	switch {
	case x.silent && x.failed:
		d.Forget(x.RPC)
		if d.nodes.Has(x.Member) { // else the end of its connection was quicker
			d.nodes.GiveUp(c, x.Member, x.why())
		}
	case !x.asked:
		d.ask(c, x)
	}
}

func (d *Doubts) ask(c *rpcenv.Context, x *doubt) {
	node := rpcenv.Ref{Address: x.RPC, Name: d.nodes.Endpoint}
	c.Log().Warnf("%s is suspected to be gone, asking it", node)
	x.asked = true
	// The node's Env answers, and its endpoint need not: a busy one counts as present.
	rpcenv.Resolve(c, node.String(), func(_ rpcenv.Ref, err error) {
		x.asked = false
		switch {
		case d.about[x.RPC] != x: // the doubt has ended
		case err == nil:
			d.Forget(x.RPC)
			c.Log().Infof("%s is there", node)
		default:
			c.Log().WithError(err).Warnf("%s did not answer", node)
			x.silent = true
			if x.failed {
				d.weigh(c, x)
			}
		}
	}, rpcenv.Timeout(AskTimeout.Source(c.Conf()), AskTimeout.Get(c.Conf())))
}

// why is the reason to give the node up.
func (x *doubt) why() string {
	why := "Gave no answer"
	if len(x.by) > 0 {
		why += ", nor to " + address(x.by[0])
	}
	if len(x.by) > 1 {
		why += " and " + address(x.by[1])
	}
	return why + ", and the other members of the cluster have given it up"
}
