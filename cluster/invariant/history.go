package invariant

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// history is what the records say so far, as far as several checks need it.
type history struct {
	now      time.Time
	envs     map[uint32]*env
	at       map[string]uint32 // the youngest Env at an address
	messages map[record.ID]*message
	count    int // of messages sent
	// orders are LaunchExecutors by APP/ID, the last one of each.
	orders map[string]order
	// wants are the demands of applications, by id.
	wants map[string]*want
	// apps are the applications of drivers, by their Envs.
	apps map[uint32]string
	// drivers are those that Workers run, by id.
	drivers map[string]host
	// asked is the last registration of each Env.
	asked map[uint32]*message
	// contacts are since when ResourceManagers hear of nodes; a pause longer than silence ends one.
	contacts map[place]contact
	silence  time.Duration
}

// env is a process's Env.
type env struct {
	num           uint32
	name, address string
	gone          bool // it crashed or was killed
}

// message is one that was sent.
type message struct {
	id       record.ID
	typ      string // the short name; of an answer that of its question
	form     tracepb.Form
	from     uint32
	endpoint string // the sender
	to       string // the endpoint
	address  string // where it went
	place    int    // in the order of sending
	moved    bool   // by a fault
	cause    record.ID
	at       time.Time
	body     proto.Message // nil: no check reads it
}

// order is a LaunchExecutor.
type order struct {
	master uint32
	worker string // its address
	to     uint32 // its Env
	app    string
	id     int
	cores  int
	memory int
	at     time.Time
}

// host is where a driver runs, with its cores and memory.
type host struct {
	env           uint32
	cores, memory int
}

// seeDriver: a Worker says that it runs a driver, or no longer.
func (h *history) seeDriver(r *tracepb.Record) {
	if r.GetEndpoint() != "Worker" {
		return
	}
	if r.GetFrom() != "" {
		if r.GetTo() != "RUNNING" {
			delete(h.drivers, r.GetSubject())
		}
		return
	}
	// Its first state: the order that caused it has its cores and memory.
	if m := h.messages[record.IDOf(r.GetCause())]; m != nil {
		if b, ok := m.body.(*deploy.LaunchDriver); ok {
			h.drivers[r.GetSubject()] = host{r.GetEnv(), int(b.GetDriverDesc().GetCores()), int(b.GetDriverDesc().GetMem())}
		}
	}
}

// want is an application's demand.
type want struct {
	cores  int // of each executor; 0: whatever there is
	memory int
	limit  int // executors; -1: no limit
	other  bool
}

func newHistory(silence time.Duration) *history {
	return &history{
		envs: map[uint32]*env{}, at: map[string]uint32{}, messages: map[record.ID]*message{}, orders: map[string]order{},
		wants: map[string]*want{}, apps: map[uint32]string{}, asked: map[uint32]*message{}, drivers: map[string]host{},
		contacts: map[place]contact{}, silence: silence,
	}
}

func (h *history) advance(now time.Time) {
	if now.After(h.now) {
		h.now = now
	}
}

func (h *history) see(r *tracepb.Record) {
	if t := r.GetTime(); t != 0 {
		h.advance(time.Unix(0, int64(t)).UTC())
	}
	switch r.GetKind() {
	case tracepb.Kind_ENV:
		h.envs[r.GetEnv()] = &env{num: r.GetEnv(), name: r.GetPeer(), address: r.GetAddress()}
		if r.GetAddress() != "" { // also that of an earlier one: a daemon that starts again listens where it did
			h.at[r.GetAddress()] = r.GetEnv()
		}
	case tracepb.Kind_SENT:
		h.seeSent(r)
	case tracepb.Kind_HANDLED:
		h.seeHandled(r)
	case tracepb.Kind_STATE:
		h.seeState(r)
	}
}

func (h *history) seeHandled(r *tracepb.Record) {
	m := h.messages[record.IDOf(r.GetId())]
	if m == nil || r.GetStarted() == 0 {
		return // it was dropped unhandled
	}
	if b, ok := m.body.(*deploy.RequestExecutors); ok {
		h.requested(b)
	}
	if r.GetEndpoint() != ids.ResourceTracker || m.typ != "NodeHeartbeatRequest" {
		return
	}
	if e := h.envs[m.from]; e != nil {
		h.beat(place{h.name(r.GetEnv()), e.address})
	}
}

func (h *history) seeState(r *tracepb.Record) {
	switch r.GetName() {
	case "driver":
		h.seeDriver(r)
	case "process":
		if e := h.envs[r.GetEnv()]; e != nil {
			e.gone = true
		}
	case "fault":
		if m := h.messages[record.IDOf(r.GetCause())]; m != nil && r.GetTo() == "reordered" {
			m.moved = true
		}
	}
}

func (h *history) seeSent(r *tracepb.Record) {
	h.count++
	m := &message{
		id: record.IDOf(r.GetId()), typ: trace.ShortName(r.GetType()), form: r.GetForm(), from: r.GetEnv(), endpoint: r.GetEndpoint(),
		to: r.GetTo(), address: r.GetAddress(), place: h.count, moved: record.IsCopy(r.GetId().GetN()), cause: record.IDOf(r.GetCause()), at: h.now,
	}
	m.body = decode(r)
	h.messages[m.id] = m
	switch b := m.body.(type) {
	case *deploy.RegisterWorker, *deploy.RegisterApplication, *app.RegisterExecutor, *yarn.RegisterApplicationMasterRequest:
		h.asked[m.from] = m // for question: an answer that waited for a record was not caused by its question
	case *deploy.LaunchExecutor:
		h.ordered(m, b)
	case *deploy.RegisteredApplication:
		if q := h.question(m); q != nil {
			if a, ok := q.body.(*deploy.RegisterApplication); ok && a.GetAppDescription() != nil {
				h.wants[b.GetAppId()] = wantOf(a.GetAppDescription())
				h.apps[q.from] = b.GetAppId()
			}
		}
	}
}

// question is the registration that a message answers: its cause, or, of an answer that waited until something was
// written, the last one of its receiver.
func (h *history) question(m *message) *message {
	if q := h.messages[m.cause]; q != nil {
		return q
	}
	return h.asked[h.at[m.address]]
}

func (h *history) ordered(m *message, b *deploy.LaunchExecutor) {
	full := fullID(b.GetAppId(), int(b.GetExecId()))
	// The Env that has the address now, since a Worker that starts there later did not get the order.
	o := order{
		master: m.from, worker: m.address, to: h.at[m.address], app: b.GetAppId(), id: int(b.GetExecId()),
		cores: int(b.GetCores()), memory: int(b.GetMemory()), at: m.at,
	}
	h.orders[full] = o
}

func wantOf(d *deploy.ApplicationDescription) *want {
	w := &want{cores: int(d.GetCoresPerExecutor()), memory: int(d.GetMemoryPerExecutorMb()), limit: -1}
	if d.InitialExecutorLimit != nil {
		w.limit = int(d.GetInitialExecutorLimit())
	}
	// Custom resources are not counted here: demand with them is not judged.
	d.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		w.other = w.other || strings.Contains(string(f.Name()), "resource")
		return true
	})
	return w
}

// requested is a new target. Demand of several profiles is not judged.
func (h *history) requested(b *deploy.RequestExecutors) {
	w := h.wants[b.GetAppId()]
	if w == nil {
		return
	}
	for _, t := range b.GetTotals() {
		if p := t.GetProfile(); p.GetId() == 0 && len(p.GetExecutorResources()) == 0 {
			w.limit = int(t.GetTotal())
			continue
		}
		w.other = true
	}
}

// forget drops a message that was handled, unless a later record may refer to it.
func (h *history) forget(r *tracepb.Record) {
	if r.GetKind() != tracepb.Kind_HANDLED {
		return
	}
	// Heartbeats are most of a long run, and nobody looks for them as a cause; the others are few.
	k := record.IDOf(r.GetId())
	if m := h.messages[k]; m != nil && (m.body == nil || m.typ == "Heartbeat") {
		delete(h.messages, k)
	}
}

// ofYARN are the messages of YARN that checks read. To decode the others, mostly heartbeats, would cost time for nothing.
var ofYARN = map[string]bool{
	"yarn.SubmitApplicationRequest": true, "yarn.RegisterApplicationMasterRequest": true, "yarn.RegisterNodeManagerResponse": true,
}

// decode is the message in a record; nil when no check reads its type.
func decode(r *tracepb.Record) proto.Message {
	name := r.GetType()
	if f := r.GetForm(); f == tracepb.Form_REPLY || f == tracepb.Form_FAIL {
		name = r.GetName() // the type of an answer's record is that of its question
	}
	if !strings.HasPrefix(name, "deploy.") && !strings.HasPrefix(name, "app.") && !ofYARN[name] {
		return nil
	}
	t, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if err != nil {
		return nil
	}
	m := t.New().Interface()
	if err := proto.Unmarshal(r.GetBody(), m); err != nil {
		return nil
	}
	return m
}

// name is an Env's.
func (h *history) name(num uint32) string {
	if e := h.envs[num]; e != nil {
		return e.name
	}
	return trace.Unknown
}

// gone reports whether an Env's process has ended by force.
func (h *history) gone(num uint32) bool {
	e := h.envs[num]
	return e == nil || e.gone
}

func fullID(app string, id int) string { return app + "/" + strconv.Itoa(id) }

// appOf is the APP of APP/ID.
func appOf(full string) (app string, ok bool) {
	app, id, ok := strings.Cut(full, "/")
	_, err := strconv.Atoi(id)
	return app, ok && err == nil
}

// finished reports whether an executor in a state has ended.
func finished(state string) bool {
	switch state {
	case "KILLED", "FAILED", "LOST", "EXITED":
		return true
	}
	return false
}

func (w *want) String() string {
	if w.cores == 0 {
		return fmt.Sprintf("%d MiB", w.memory)
	}
	return fmt.Sprintf("%d cores and %d MiB", w.cores, w.memory)
}
