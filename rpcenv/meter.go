package rpcenv

import (
	"reflect"

	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/coherer/coherer/rpcenv/metrics"
)

// meter counts what an inbox gets and handles.
type meter struct {
	counts *metrics.Endpoint
	// received is guarded by the inbox's lock; handled is the turn's of a serial endpoint.
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
	itemPeer: metrics.Connection,
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

// countReceived counts an item that comes into the inbox, and notes when, if times are measured. The inbox's lock is held.
func (m *meter) countReceived(e *Env, it *item) {
	m.received.of(m.counts, it).Received(it.call != nil)
	if it.received == 0 && e.metrics.Timed() {
		it.received = nanos(e.host.Now())
	}
}
