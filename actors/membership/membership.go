package membership

import (
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// Name is what the endpoint is called.
const Name = "Membership"

// Member is a process of the cluster, in one run.
type Member struct {
	// Name is unique: a daemon that is started again gets another.
	Name string
	// Role is what the process is, such as master, worker or driver.
	Role string
	// RPC is where its Env listens; zero for one that only looks.
	RPC rpcenv.Address
}

// The Roles of those that others look for: a Master, and a ResourceManager.
const (
	RoleMaster          = "master"
	RoleResourceManager = "resourcemanager"
)

// MemberJoined says that a member has come. A duplicate is not passed on.
type MemberJoined struct {
	rpcenv.Local
	Member Member
}

// MemberLeft says that a member said goodbye. About an unknown member it is not passed on.
type MemberLeft struct {
	rpcenv.Local
	Member Member
}

// MemberSuspected says that another member had no answer from a member: the first sign that it may be gone. It stays a member. MemberRefuted
// or MemberFailed follows; until then each further member that has no answer is reported too, each once. About an unknown member it is not
// passed on.
type MemberSuspected struct {
	rpcenv.Local
	Member Member
	// By is the Name of the member that had no answer.
	By string
}

// MemberRefuted says that a member that was suspected has shown that it is there. About one that is not suspected it is not passed on.
type MemberRefuted struct {
	rpcenv.Local
	Member Member
}

// MemberFailed says that a suspected member did not refute in time, so that the others have given it up: it may have crashed, or the network
// to it is bad. If it answers again, MemberJoined follows. About an unknown member it is not passed on.
type MemberFailed struct {
	rpcenv.Local
	Member Member
}

// Discovery finds the members of a cluster.
type Discovery interface {
	// Watch calls notify with MemberJoined for each member so far, then with each change, one at a time and in order, from
	// any goroutine, until stop has returned.
	Watch(notify func(rpcenv.Message)) (stop func())
	// At is where this member listens for others, HOST:PORT.
	At() string
	// Meet makes this member one of the cluster that a member at an address belongs to. It returns at once, and tries until that
	// succeeds. The same address may come again.
	Meet(at string)
}

// Config is what the endpoint is made of.
type Config struct {
	// Discovery is where the news come from; required.
	Discovery Discovery
	// Notify are the endpoints of this Env that get the news.
	Notify []rpcenv.Ref
	// Seek are daemons of the cluster, known by their addresses alone, such as the Masters in a Worker's URL: as long as none of them
	// is a member, they are asked for their gossip. None: this member knows others by theirs.
	Seek []rpcenv.Address
}

// seekPeriod is the time between two rounds of questions to the daemons of Config.Seek.
const seekPeriod = 10 * time.Second

// seekRing is the tick of these rounds.
type seekRing struct{ rpcenv.Local }

// Membership is the endpoint.
type Membership struct {
	cfg     Config
	members []present // in the order of their coming
	stop    func()
}

// present is a member that is there, or suspected.
type present struct {
	Member
	state string
}

// New makes a Membership, to be registered as [Name].
func New(cfg Config) *Membership { return &Membership{cfg: cfg} }

// OnStart begins to listen.
func (m *Membership) OnStart(c *rpcenv.Context) {
	// Discovery calls from goroutines of its own; Outside makes messages to this endpoint of its calls.
	m.stop = m.cfg.Discovery.Watch(c.Outside("membership"))
	if len(m.cfg.Seek) > 0 {
		c.Every(0, seekPeriod, seekRing{})
	}
}

// OnStop ends that.
func (m *Membership) OnStop(*rpcenv.Context) { m.stop() }

// Receive is the table of what a Membership understands: its Discovery sends to it, and others of its kind.
func (m *Membership) Receive(c *rpcenv.Context, msg rpcenv.Message) {
	switch msg := msg.(type) {
	case MemberJoined:
		m.memberJoined(c, msg)
	case MemberSuspected:
		m.memberSuspected(c, msg)
	case MemberRefuted:
		m.memberRefuted(c, msg)
	case MemberLeft:
		m.gone(c, msg.Member, Left, msg)
	case MemberFailed:
		m.gone(c, msg.Member, Failed, msg)
	case *deploy.FindRing:
		rpcenv.Reply(c, msg, &deploy.Ring{Gossip: m.cfg.Discovery.At()})
	case seekRing:
		m.seekRing(c)
	default:
		c.Unsupported(msg)
	}
}

// seekRing asks the daemons of Config.Seek for their gossip, unless one of them is a member. It goes on for ever, since a daemon that is
// started again may have its gossip elsewhere.
func (m *Membership) seekRing(c *rpcenv.Context) {
	if slices.ContainsFunc(m.members, func(x present) bool { return slices.Contains(m.cfg.Seek, x.RPC) }) {
		return
	}
	for _, a := range m.cfg.Seek {
		rpcenv.Ask(c, rpcenv.Ref{Address: a, Name: Name}, &deploy.FindRing{}, func(r *deploy.Ring, err error) {
			if err != nil { // it is not there, or no member yet; whoever needs that daemon reports it
				c.Log().WithError(err).Debugf("%s did not say where its gossip is", a)
				return
			}
			m.cfg.Discovery.Meet(r.GetGossip())
		})
	}
}

// The states of a member in the trace, where its kind is "member".
const (
	Joined    = "joined"
	Suspected = "suspected"
	Left      = "left"
	Failed    = "failed"
)

func (m *Membership) memberJoined(c *rpcenv.Context, msg MemberJoined) {
	if m.find(msg.Member) >= 0 {
		return
	}
	m.members = append(m.members, present{msg.Member, Joined})
	m.pass(c, msg.Member, "", Joined, "gossip", msg)
}

func (m *Membership) memberSuspected(c *rpcenv.Context, msg MemberSuspected) {
	i := m.find(msg.Member)
	if i < 0 {
		return
	}
	from := m.members[i].state
	m.members[i].state = Suspected
	m.pass(c, msg.Member, from, Suspected, "no answer to "+address(msg.By), msg)
}

func (m *Membership) memberRefuted(c *rpcenv.Context, msg MemberRefuted) {
	i := m.find(msg.Member)
	if i < 0 || m.members[i].state != Suspected {
		return
	}
	m.members[i].state = Joined
	m.pass(c, msg.Member, Suspected, Joined, "it answers", msg)
}

func (m *Membership) gone(c *rpcenv.Context, member Member, how string, msg rpcenv.Message) {
	i := m.find(member)
	if i < 0 {
		return
	}
	from := m.members[i].state
	m.members = slices.Delete(m.members, i, i+1)
	m.pass(c, member, from, how, "gossip", msg)
}

// address is the part of a member's name that says something to a reader: the number behind it tells the runs of a process apart.
func address(name string) string {
	at, _, _ := strings.Cut(name, "/")
	return at
}

// find is the place of a member among those that are there, or -1. By the whole Member, also its Name: late news of an earlier run of a
// daemon do not change the next run.
func (m *Membership) find(member Member) int {
	return slices.IndexFunc(m.members, func(x present) bool { return x.Member == member })
}

func (m *Membership) pass(c *rpcenv.Context, member Member, from, to, why string, msg rpcenv.Message) {
	c.Log().WithField("member", member.Name).Infof("%s %s: %s", member.Role, to, why)
	c.State("member", member.Name, from, to, why)
	for _, ref := range m.cfg.Notify {
		c.Send(ref, msg)
	}
}
