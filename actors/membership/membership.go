package membership

import (
	"slices"

	"github.com/coherer/coherer/rpcenv"
)

// Name is what the endpoint is called.
const Name = "Membership"

// Member is a daemon of the cluster in one run of its process.
type Member struct {
	// Name is unique: a daemon that was started again has another.
	Name string
	// Role is the daemon's sub-command, such as master or worker.
	Role string
	// RPC is where its Env listens; zero for one that only looks.
	RPC rpcenv.Address
}

// RoleMaster is the Role of a Master.
const RoleMaster = "master"

// MemberJoined says that a member is there. A duplicate is not passed on.
type MemberJoined struct {
	rpcenv.Local
	Member Member
}

// MemberLeft says that a member said goodbye. Of a member that is not there it is not passed on.
type MemberLeft struct {
	rpcenv.Local
	Member Member
}

// MemberSuspected says that a member does not answer: it may have crashed, or the network to it is bad. If it answers
// again, MemberJoined follows. Of a member that is not there it is not passed on.
type MemberSuspected struct {
	rpcenv.Local
	Member Member
}

// Discovery tells of the members of a cluster.
type Discovery interface {
	// Watch calls tell with MemberJoined for each member that is there already, then with each change, one at a time and
	// in order, from any goroutine, until stop has returned.
	Watch(tell func(rpcenv.Message)) (stop func())
}

// Config is what the endpoint is made of.
type Config struct {
	// Discovery is asked for the news; required.
	Discovery Discovery
	// Notify are the endpoints of this Env that are told.
	Notify []rpcenv.Ref
}

// Membership is the endpoint.
type Membership struct {
	cfg     Config
	members []Member // in the order of their coming
	stop    func()
}

// New makes a Membership, to be registered as [Name].
func New(cfg Config) *Membership { return &Membership{cfg: cfg} }

// OnStart begins to listen.
func (m *Membership) OnStart(c *rpcenv.Context) {
	m.stop = m.cfg.Discovery.Watch(c.Outside("membership"))
}

// OnStop ends that.
func (m *Membership) OnStop(*rpcenv.Context) { m.stop() }

// Receive is the table of what a Membership understands: only its Discovery sends to it.
func (m *Membership) Receive(c *rpcenv.Context, msg rpcenv.Message) {
	switch msg := msg.(type) {
	case MemberJoined:
		m.memberJoined(c, msg)
	case MemberLeft:
		m.gone(c, msg.Member, "left", msg)
	case MemberSuspected:
		m.gone(c, msg.Member, "suspected", msg)
	default:
		c.Unsupported(msg)
	}
}

func (m *Membership) memberJoined(c *rpcenv.Context, msg MemberJoined) {
	if slices.Contains(m.members, msg.Member) {
		return
	}
	m.members = append(m.members, msg.Member)
	m.pass(c, msg.Member, "", "joined", msg)
}

func (m *Membership) gone(c *rpcenv.Context, member Member, how string, msg rpcenv.Message) {
	i := slices.Index(m.members, member)
	if i < 0 {
		return
	}
	m.members = slices.Delete(m.members, i, i+1)
	m.pass(c, member, "joined", how, msg)
}

func (m *Membership) pass(c *rpcenv.Context, member Member, from, to string, msg rpcenv.Message) {
	c.Log().WithField("member", member.Name).Infof("%s %s", member.Role, to)
	c.State("member", member.Name, from, to, "gossip")
	for _, ref := range m.cfg.Notify {
		c.Send(ref, msg)
	}
}
