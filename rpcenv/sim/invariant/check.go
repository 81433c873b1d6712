package invariant

import (
	"fmt"
	"strings"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Rule is one of the rules of the package's comment.
type Rule string

// The rules.
const (
	FIFO   Rule = "FIFO"
	Once   Rule = "once"
	Ask    Rule = "ask"
	Start  Rule = "start"
	Stop   Rule = "stop"
	Serial Rule = "serial"
	Lost   Rule = "lost"
	Hole   Rule = "hole"
	MadeUp Rule = "made up"
)

// Violation is a rule that a trace breaks, and where.
type Violation struct {
	Rule Rule
	Text string
}

// String is RULE: TEXT.
func (v Violation) String() string { return string(v.Rule) + ": " + v.Text }

// Options say what kind of a trace it is.
type Options struct {
	// Over: the run is over, nothing is under way any more.
	Over bool
	// Bodies: endpoints ask from bodies of Run, too. The trace does not show the failure of such an ask, so an ask without
	// an end is no violation then.
	Bodies bool
}

// Check returns what the records of one World or process break, in the order of the trace.
func Check(records []*tracepb.Record, o Options) []Violation {
	c := &checker{
		options: o, envs: map[uint32]*env{}, sent: make(map[record.ID]*sent, len(records)/2), lives: map[place]*life{},
		order: map[stream]int{}, conns: map[uint64]*conn{},
	}
	for i, r := range records {
		c.read(i, r)
	}
	if o.Over {
		c.end()
	}
	return c.found
}

// place is an endpoint.
type place struct {
	env  uint32
	name string
}

// stream is what keeps its order: messages and asks from an Env to an endpoint; with the answers, those of one connection.
type stream struct {
	from uint32
	conn uint64
	to   place
}

// env is what is known of an Env.
type env struct {
	name string
	gone bool // it ended without a good order
}

// sent is a message that was sent.
type sent struct {
	r       *tracepb.Record
	index   int
	handled bool
	lost    bool // by a fault, or refused: an ask by its answer
	moved   bool // by a fault: it has no place in its stream
	ends    int  // of an ask
}

// life is that of an endpoint. A name may be taken again while the endpoint that had it before drains: then nothing in the
// trace distinguishes the two.
type life struct {
	stopped   bool
	ambiguous bool
	free      uint64 // when its last handler ended
}

// conn is a connection: which Envs it has, how far each direction came, and whether an end was recorded.
type conn struct {
	ends  []uint32
	last  [2]uint64 // the highest ordinal that was handled, by direction
	ended bool
}

type checker struct {
	options Options
	envs    map[uint32]*env
	sent    map[record.ID]*sent
	all     []*sent
	local   *sent // the last message that stayed in its Env
	lives   map[place]*life
	order   map[stream]int // the index of the last message that was handled
	conns   map[uint64]*conn
	found   []Violation
}

func (c *checker) fail(rule Rule, format string, args ...any) {
	c.found = append(c.found, Violation{rule, fmt.Sprintf(format, args...)})
}

func (c *checker) read(i int, r *tracepb.Record) {
	switch r.GetKind() {
	case tracepb.Kind_ENV:
		c.envs[r.GetEnv()] = &env{name: r.GetPeer()}
	case tracepb.Kind_SENT:
		c.readSent(i, r)
	case tracepb.Kind_HANDLED:
		c.readHandled(r)
	case tracepb.Kind_ITEM:
		c.readItem(r)
	case tracepb.Kind_CONN:
		if id := r.GetId().GetConn(); id != 0 && r.GetName() == "disconnected" {
			c.conn(id, r.GetEnv()).ended = true
		}
	case tracepb.Kind_DROP:
		c.readDrop(r)
	case tracepb.Kind_STATE:
		c.readState(r)
	}
}

func (c *checker) conn(id uint64, end uint32) *conn {
	k := c.conns[id]
	if k == nil {
		k = &conn{}
		c.conns[id] = k
	}
	// The World is no end of a connection, whatever it records about one.
	if end != record.WorldEnv && (len(k.ends) == 0 || k.ends[0] != end && len(k.ends) == 1) {
		k.ends = append(k.ends, end)
	}
	return k
}

func (c *checker) readSent(i int, r *tracepb.Record) {
	s := &sent{r: r, index: i, moved: record.IsCopy(r.GetId().GetN())}
	k := record.IDOf(r.GetId())
	c.sent[k] = s
	c.all = append(c.all, s)
	if k.Conn != 0 {
		c.conn(k.Conn, r.GetEnv())
	} else {
		c.local = s
	}
	if f := r.GetForm(); f == tracepb.Form_REPLY || f == tracepb.Form_FAIL {
		if ask := c.sent[record.IDOf(r.GetCause())]; ask != nil {
			ask.lost = true // what is answered came, whether an endpoint handled it or not
		}
	}
}

func (c *checker) readHandled(r *tracepb.Record) {
	k := record.IDOf(r.GetId())
	s := c.sent[k]
	if s == nil {
		c.fail(MadeUp, "%s handled %s, which nobody sent", c.at(r), k)
		return
	}
	if k.Conn != 0 {
		conn := c.conn(k.Conn, r.GetEnv())
		if d := direction(k); !record.IsCopy(k.N) {
			conn.last[d] = max(conn.last[d], k.N)
		}
	}
	if s.handled {
		c.fail(Once, "%s handled %s %s twice", c.at(r), s.r.GetType(), k)
	}
	s.handled = true
	if r.GetStarted() == 0 {
		return // it came, and no endpoint handled it: the outcome says why
	}
	if f := s.r.GetForm(); f == tracepb.Form_REPLY || f == tracepb.Form_FAIL {
		c.endAsk(s.r.GetCause())
	}
	if r.GetName() == record.InBody { // beside the handlers of its endpoint: neither serial nor in their order
		return
	}
	c.handles(r)
	c.inOrder(s, r)
}

func direction(k record.ID) int {
	if k.Back {
		return 1
	}
	return 0
}

// inOrder: a stream goes forward.
func (c *checker) inOrder(s *sent, r *tracepb.Record) {
	to := place{r.GetEnv(), r.GetEndpoint()}
	if l := c.lives[to]; s.moved || l == nil || l.ambiguous {
		return
	}
	// Messages and asks keep their order over all connections of two Envs; with the answers, on one connection only.
	st := stream{from: s.r.GetEnv(), to: to}
	last := -1
	if f := s.r.GetForm(); f == tracepb.Form_SEND || f == tracepb.Form_ASK {
		last, c.order[st] = c.last(st), s.index
	}
	st.conn = s.r.GetId().GetConn()
	last, c.order[st] = max(last, c.last(st)), s.index
	if last > s.index {
		c.fail(FIFO, "%s handled %s %s of %s after what was sent later", c.at(r), s.r.GetType(), record.IDOf(r.GetId()), c.name(st.from))
	}
}

func (c *checker) last(st stream) int {
	if i, ok := c.order[st]; ok {
		return i
	}
	return -1
}

// endAsk counts an end of an ask.
func (c *checker) endAsk(ask *tracepb.Id) {
	if s := c.sent[record.IDOf(ask)]; s != nil && s.r.GetForm() == tracepb.Form_ASK {
		if s.ends++; s.ends == 2 {
			c.fail(Ask, "%s %s of %s/%s ended twice", s.r.GetType(), record.IDOf(ask), c.name(s.r.GetEnv()), s.r.GetEndpoint())
		}
	}
}

// handles is what holds of all that an endpoint handles.
func (c *checker) handles(r *tracepb.Record) {
	l := c.lives[place{r.GetEnv(), r.GetEndpoint()}]
	switch {
	case l == nil:
		c.fail(Start, "%s handled %s before OnStart", c.at(r), what(r))
	case l.ambiguous:
	case l.stopped:
		c.fail(Stop, "%s handled %s after OnStop", c.at(r), what(r))
	case r.GetStarted() < l.free:
		c.fail(Serial, "%s began %s before the handler before it had ended", c.at(r), what(r))
	}
	if l != nil {
		l.free = max(l.free, r.GetTime())
	}
}

func (c *checker) readItem(r *tracepb.Record) {
	at := place{r.GetEnv(), r.GetEndpoint()}
	switch r.GetName() {
	case "OnStart":
		old := c.lives[at]
		c.lives[at] = &life{free: r.GetTime(), ambiguous: old != nil && !old.stopped}
		// A new endpoint of an old name: what its predecessor handled has no bearing on its order.
		for st := range c.order {
			if st.to == at {
				delete(c.order, st)
			}
		}
		return
	case "ask failed":
		// The cause of an ask that was never sent is the item that made it: perhaps the ask of another endpoint.
		if s := c.sent[record.IDOf(r.GetCause())]; s != nil && s.r.GetEnv() == r.GetEnv() && s.r.GetEndpoint() == r.GetEndpoint() {
			c.endAsk(r.GetCause())
		}
	}
	c.handles(r)
	if l := c.lives[at]; l != nil && r.GetName() == "OnStop" {
		l.stopped = true
	}
}

// readDrop: a fault says which message it lost, and an ask whose endpoint has stopped which one nobody waits for; what is
// refused within an Env follows its sending.
func (c *checker) readDrop(r *tracepb.Record) {
	s := c.sent[record.IDOf(r.GetCause())]
	if s != nil && (r.GetId().GetEnv() == record.WorldEnv || r.GetForm() == tracepb.Form_ASK) {
		s.lost = true
		return
	}
	if s := c.local; s != nil && s.r.GetEnv() == r.GetEnv() && s.r.GetTo() == r.GetTo() && s.r.GetType() == r.GetType() {
		s.lost = true
	}
}

func (c *checker) readState(r *tracepb.Record) {
	switch r.GetName() {
	case "process":
		if e := c.envs[r.GetEnv()]; e != nil {
			e.gone = true
		}
	case "fault":
		if s := c.sent[record.IDOf(r.GetCause())]; s != nil && r.GetTo() == "reordered" {
			s.moved = true
		}
	}
}

// end is what holds when all is over.
func (c *checker) end() {
	for _, s := range c.all {
		k := record.IDOf(s.r.GetId())
		if !s.handled && !s.lost {
			c.missing(s, k)
		}
		if s.r.GetForm() == tracepb.Form_ASK && s.ends == 0 && !c.options.Bodies {
			c.unended(s, k)
		}
	}
}

// missing is a message that was not handled.
func (c *checker) missing(s *sent, k record.ID) {
	if k.Conn == 0 {
		// Where an ask within an Env ends may not be in the trace: in a body, or in a program that is no endpoint.
		unknown := s.r.GetForm() == tracepb.Form_ASK && (c.options.Bodies || c.lives[place{k.Env, s.r.GetEndpoint()}] == nil)
		if !c.gone(k.Env) && s.ends == 0 && !unknown {
			c.fail(Lost, "%s %s of %s/%s, within its Env", s.r.GetType(), k, c.name(k.Env), s.r.GetEndpoint())
		}
		return
	}
	conn, crashed := c.conns[k.Conn], false
	for _, e := range conn.ends {
		crashed = crashed || c.gone(e)
	}
	switch {
	case crashed: // what was in its inboxes is lost with it
	case !s.moved && k.N < conn.last[direction(k)]:
		c.fail(Hole, "%s %s of %s/%s is missing, what came after it was handled", s.r.GetType(), k, c.name(s.r.GetEnv()), s.r.GetEndpoint())
	case !conn.ended:
		c.fail(Lost, "%s %s of %s/%s, and its connection goes on", s.r.GetType(), k, c.name(s.r.GetEnv()), s.r.GetEndpoint())
	}
}

// unended is an ask that did not end: that of an endpoint which is still there, or of a program.
func (c *checker) unended(s *sent, k record.ID) {
	if record.IsCopy(k.N) {
		return // its end is that of the ask itself
	}
	l := c.lives[place{s.r.GetEnv(), s.r.GetEndpoint()}]
	if l != nil && !l.stopped && !l.ambiguous && !c.gone(s.r.GetEnv()) {
		c.fail(Ask, "%s %s of %s/%s never ended", s.r.GetType(), k, c.name(s.r.GetEnv()), s.r.GetEndpoint())
	}
}

func (c *checker) gone(num uint32) bool {
	e := c.envs[num]
	return e == nil || e.gone
}

func (c *checker) name(num uint32) string {
	if e := c.envs[num]; e != nil {
		return e.name
	}
	return trace.Unknown
}

func (c *checker) at(r *tracepb.Record) string { return c.name(r.GetEnv()) + "/" + r.GetEndpoint() }

// what names the item of a record.
func what(r *tracepb.Record) string {
	return strings.TrimSpace(r.GetName() + " " + record.IDOf(r.GetId()).String())
}
