package rpcenv

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"google.golang.org/protobuf/types/dynamicpb"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/metrics"
)

// meter counts what an Inbox gets and handles.
type meter struct {
	counts *metrics.Endpoint
	// received is guarded by the Inbox's lock; handled is the turn's of a serial endpoint.
	received, handled lastSeries
}

// lastSeries is the counters of the last item: nearly always the next one is of the same type, so that they need not be
// looked for.
type lastSeries struct {
	kind   itemKind
	typ    reflect.Type
	series *metrics.Series
}

func (l *lastSeries) of(counts *metrics.Endpoint, it *item) *metrics.Series {
	t := reflect.TypeOf(it.msg)
	if l.typ != t || l.kind != it.kind { // in the beginning the kind is that of OnStart, which is not counted
		if t == dynamicType { // one Go type for many types of messages
			return seriesOf(counts, it)
		}
		*l = lastSeries{it.kind, t, seriesOf(counts, it)}
	}
	return l.series
}

var dynamicType = reflect.TypeFor[*dynamicpb.Message]()

// kinds are what items are to metrics. OnStart and OnStop are not counted.
var kinds = [...]metrics.Kind{
	itemMessage: metrics.Message, itemReply: metrics.Reply, itemFailed: metrics.Reply, itemTick: metrics.Tick,
	itemRun: metrics.Result, itemOutside: metrics.Outside,
	itemConnected: metrics.Connection, itemDisconnected: metrics.Connection, itemNetworkError: metrics.Connection,
}

// seriesOf looks for the counters of an item.
func seriesOf(counts *metrics.Endpoint, it *item) *metrics.Series {
	k := metrics.Key{Kind: kinds[it.kind]}
	switch m := it.msg.(type) {
	case nil:
		return counts.Series(k, func() string { return "" })
	case *dynamicpb.Message:
		k.Type = m.Descriptor().FullName()
	default:
		k.Type = reflect.TypeOf(m)
	}
	m := it.msg
	return counts.Series(k, func() string { return TypeName(m) })
}

// countReceivedLocked counts an item that comes into the inbox, and notes when, if times are measured.
func (in *Inbox) countReceivedLocked(it *item) {
	if in.meter == nil {
		in.meter = &meter{counts: in.env.metrics.Endpoint(in.name)}
	}
	in.meter.received.of(in.meter.counts, it).Received(it.call != nil)
	if it.received.IsZero() && in.env.metrics.Timed() {
		it.received = in.env.host.Now()
	}
}

// time notes when a callback begins, if times are measured.
func (in *Inbox) time(c *Context) {
	if c.began.IsZero() && in.env.metrics.Timed() {
		c.began = in.env.host.Now()
	}
}

// countHandled counts an item whose callback has ended.
func (in *Inbox) countHandled(c *Context, it *item, err error) {
	if it.kind == itemStart || it.kind == itemStop {
		return
	}
	var s *metrics.Series
	if in.kind.serial() { // callbacks that overlap cannot share the last series
		s = in.meter.handled.of(in.meter.counts, it)
	} else {
		s = seriesOf(in.meter.counts, it)
	}
	if in.env.metrics.Timed() && !c.began.IsZero() && !it.received.IsZero() { // else it came before times were measured
		s.Observe(c.began.Sub(it.received), in.env.host.Now().Sub(c.began))
	}
	s.Handled(err != nil)
}

// dropReasons are the families of what is not delivered. An error may be of several: the first one counts, which is the
// last that happened.
var dropReasons = []struct {
	err    error
	reason metrics.Reason
}{
	{ErrUnreachableDisconnected, metrics.ReasonDisconnected},
	{ErrUnreachableOverloaded, metrics.ReasonOverloaded},
	{ErrRefusedNotFound, metrics.ReasonNotFound},
	{ErrRefusedUndecodable, metrics.ReasonUndecodable},
	{ErrRefusedStopped, metrics.ReasonStopped},
	{ErrStopped, metrics.ReasonStopped},
	{errLateAnswer, metrics.ReasonAnswer},
	{errAskerStopped, metrics.ReasonAnswer},
}

// dropReason is the family of a drop.
func dropReason(form tracepb.Form, why error) metrics.Reason {
	if form == tracepb.Form_REPLY || form == tracepb.Form_FAIL {
		return metrics.ReasonAnswer
	}
	for _, d := range dropReasons {
		if errors.Is(why, d.err) {
			return d.reason
		}
	}
	return metrics.ReasonOther
}

// Time makes the Env measure from now on how long messages wait in inboxes and how long callbacks take.
func (e *Env) Time() { e.metrics.Time() }

// Metrics are the Env's counters, and what waits for its peers now. It may be called from any goroutine.
func (e *Env) Metrics() metrics.Snapshot {
	s := e.metrics.Snapshot()
	s.Env, s.Address, s.Incarnation, s.Time = e.cfg.Name, e.addr.String(), e.incarnation, e.host.Now()
	// Copies, since an Outbox's lock is not taken under the Env's.
	e.mu.Lock()
	s.Running(slices.Sorted(maps.Keys(e.endpoints)))
	conns, boxes := make([]*conn, 0, len(e.conns)), make([]*Outbox, 0, len(e.outboxes))
	for _, c := range e.conns {
		conns = append(conns, c)
	}
	for _, ob := range e.outboxes {
		boxes = append(boxes, ob)
	}
	e.mu.Unlock()
	s.Open = len(conns)
	s.Peers = metrics.Fold(peerRows(conns, boxes))
	return s
}

// peerRows are one row for each listening peer, and one for each connection of one in client mode.
func peerRows(conns []*conn, boxes []*Outbox) []metrics.PeerRow {
	// A listening peer may have several connections, since both sides may dial, and an Outbox beside them: their bytes add up.
	var rows []metrics.PeerRow
	at := map[Address]int{}
	for _, c := range conns {
		row := metrics.PeerRow{Address: c.peer.String(), Name: c.peerName, Listens: c.listening, Connected: true, Bytes: c.link.Queued()}
		if !c.listening {
			rows = append(rows, row)
			continue
		}
		i, known := at[c.peer]
		if !known {
			at[c.peer] = len(rows)
			rows = append(rows, row)
			continue
		}
		rows[i].Bytes += row.Bytes
	}
	for _, ob := range boxes {
		ob.mu.Lock()
		messages, bytes := len(ob.queue), ob.bytes
		ob.mu.Unlock()
		i, known := at[ob.to]
		if !known {
			i = len(rows)
			rows = append(rows, metrics.PeerRow{Address: ob.to.String(), Listens: true})
		}
		rows[i].Messages += messages
		rows[i].Bytes += bytes
	}
	return rows
}

// Clients are references to the endpoint called name in each Env in client mode that is connected to this one, in the order of their
// connections. An Env may have no endpoint of that name: only an ask finds out.
func (e *Env) Clients(name string) []Ref {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []*conn
	for _, c := range e.conns {
		if !c.listening {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, inOrder)
	refs := make([]Ref, len(all))
	for i, c := range all {
		refs[i] = Ref{Address: c.peer, Name: name, conn: c.id}
	}
	return refs
}
