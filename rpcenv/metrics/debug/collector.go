package debug

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/coherer/coherer/rpcenv/metrics"
)

// Source is whose counters are served: a *rpcenv.Env.
type Source interface {
	// Metrics are the counters now.
	Metrics() metrics.Snapshot
	// Time makes waiting and handling measured.
	Time()
}

// Collector gives Prometheus the counters of an Env. Times are in seconds, sizes in bytes, as Prometheus wants them.
type Collector struct{ source Source }

// NewCollector returns a Collector. The source begins to measure times.
func NewCollector(source Source) *Collector {
	source.Time()
	return &Collector{source}
}

const prefix = "coherer_rpc_"

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prefix+name, help, append([]string{"env"}, labels...), nil)
}

var (
	perType = []string{"endpoint", "kind", "type"}

	received = desc("received_total", "Items that came into the inbox, by kind and type of message.", perType...)
	asks     = desc("asks_total", "Those of them that want an answer.", perType...)
	handled  = desc("handled_total", "Callbacks that have ended.", perType...)
	failures = desc("failures_total", "Callbacks that ended in a panic, an unsupported message, or without the answer that was wanted.", perType...)
	wait     = desc("wait_seconds", "Time in the inbox.", perType...)
	handling = desc("handling_seconds", "Time in the callback.", perType...)
	depth    = desc("inbox_depth", "Items that wait in the inbox or are in hand.", "endpoint")

	outboxMessages = desc("outbox_messages", "Messages that wait for a connection to the peer, or for its credit.", "peer")
	outboxBytes    = desc("outbox_bytes", "Bytes that wait for the peer.", "peer")
	drops          = desc("dropped_total", "Undelivered messages whose sender got no error.", "reason")
	sent           = desc("sent_total", "Messages and answers sent to peers.")
	sentBytes      = desc("sent_bytes_total", "Bytes of their contents.")
	got            = desc("peer_received_total", "Messages and answers that came from peers.")
	gotBytes       = desc("peer_received_bytes_total", "Bytes of their contents.")
	open           = desc("connections", "Connections that are open.")
	opened         = desc("connections_opened_total", "Connections that were opened.")
	lost           = desc("connections_lost_total", "Connections that ended.")
	refused        = desc("connections_refused_total", "Connections whose handshake failed.")
	notReached     = desc("dials_failed_total", "Peers that could not be connected to.")
)

// Describe sends the descriptions of all metrics.
func (c *Collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		received, asks, handled, failures, wait, handling, depth, outboxMessages, outboxBytes, drops,
		sent, sentBytes, got, gotBytes, open, opened, lost, refused, notReached,
	} {
		out <- d
	}
}

// Collect sends the counters of one Snapshot.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	s := c.source.Metrics()
	emit := func(d *prometheus.Desc, t prometheus.ValueType, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, t, v, append([]string{s.Env}, labels...)...)
	}
	count := func(d *prometheus.Desc, v uint64, labels ...string) {
		emit(d, prometheus.CounterValue, float64(v), labels...)
	}
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		total := e.Total()
		emit(depth, prometheus.GaugeValue, float64(total.Depth()), e.Name)
		for j := range e.Series {
			r := &e.Series[j]
			labels := []string{e.Name, r.Kind.String(), r.Type}
			count(received, r.Received, labels...)
			count(handled, r.Handled, labels...)
			count(failures, r.Failures, labels...)
			if r.Kind == metrics.Message {
				count(asks, r.Asks, labels...)
			}
			emitTimes(out, wait, &r.Wait, append([]string{s.Env}, labels...))
			emitTimes(out, handling, &r.Handling, append([]string{s.Env}, labels...))
		}
	}
	waiting := peers(s.Peers)
	for _, p := range waiting {
		emit(outboxMessages, prometheus.GaugeValue, float64(p.Messages), p.Address)
		emit(outboxBytes, prometheus.GaugeValue, float64(p.Bytes), p.Address)
	}
	for _, d := range s.Drops {
		count(drops, d.Count, d.Reason.String())
	}
	count(sent, s.Sent)
	count(sentBytes, s.SentBytes)
	count(got, s.Received)
	count(gotBytes, s.ReceivedBytes)
	emit(open, prometheus.GaugeValue, float64(s.Open))
	count(opened, s.Opened)
	count(lost, s.Lost)
	count(refused, s.Refused)
	count(notReached, s.NotReached)
}

// emitTimes sends a histogram, unless it is empty.
func emitTimes(out chan<- prometheus.Metric, d *prometheus.Desc, t *metrics.Times, labels []string) {
	n := t.Count()
	if n == 0 {
		return
	}
	buckets := make(map[float64]uint64, metrics.Buckets-1)
	// Prometheus wants cumulative counts, and knows the last bucket, which has no bound, by n.
	sum := uint64(0)
	for i, c := range t.Counts[:metrics.Buckets-1] {
		sum += c
		buckets[metrics.Bound(i).Seconds()] = sum
	}
	out <- prometheus.MustNewConstHistogram(d, n, t.Sum.Seconds(), buckets, labels...)
}

// peers joins the rows of one address: Prometheus wants each label once.
func peers(rows []metrics.PeerRow) []metrics.PeerRow {
	var out []metrics.PeerRow
	for _, p := range rows { // sorted
		if n := len(out); n > 0 && out[n-1].Address == p.Address {
			out[n-1].Messages += p.Messages
			out[n-1].Bytes += p.Bytes
			continue
		}
		out = append(out, p)
	}
	return out
}
