package reader

import (
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/metrics"
)

// Encode is a Snapshot as it travels.
func Encode(s metrics.Snapshot) *tracepb.MetricsRead {
	out := &tracepb.MetricsRead{
		Env: s.Env, Address: s.Address, Incarnation: s.Incarnation, Time: uint64(s.Time.UnixNano()), Timed: s.Timed,
		Sent: s.Sent, SentBytes: s.SentBytes, Received: s.Received, ReceivedBytes: s.ReceivedBytes,
		Open: uint64(s.Open), Opened: s.Opened, Lost: s.Lost, Refused: s.Refused, NotReached: s.NotReached,
	}
	for _, e := range s.Endpoints {
		row := &tracepb.EndpointMetrics{Name: e.Name, Running: e.Running}
		for _, r := range e.Series {
			row.Series = append(row.Series, &tracepb.SeriesMetrics{
				Kind: r.Kind.String(), Type: r.Type, Received: r.Received, Asks: r.Asks, Handled: r.Handled, Failures: r.Failures,
				Wait: encodeTimes(r.Wait), Handling: encodeTimes(r.Handling),
			})
		}
		out.Endpoints = append(out.Endpoints, row)
	}
	for _, p := range s.Peers {
		out.Peers = append(out.Peers, &tracepb.PeerMetrics{
			Address: p.Address, Name: p.Name, Listens: p.Listens, Connected: p.Connected, Messages: uint64(p.Messages), Bytes: uint64(p.Bytes),
		})
	}
	for _, d := range s.Drops {
		out.Drops = append(out.Drops, &tracepb.DropMetrics{Reason: d.Reason.String(), Count: d.Count})
	}
	return out
}

func encodeTimes(t metrics.Times) *tracepb.TimeMetrics {
	n := len(t.Counts)
	for n > 0 && t.Counts[n-1] == 0 {
		n--
	}
	if n == 0 {
		return nil
	}
	return &tracepb.TimeMetrics{Counts: t.Counts[:n], Sum: uint64(t.Sum)}
}

// Decode is the Snapshot that Encode made, of a peer that may know more: what this side has no name for is Other.
func Decode(m *tracepb.MetricsRead) metrics.Snapshot {
	s := metrics.Snapshot{
		Env: m.GetEnv(), Address: m.GetAddress(), Incarnation: m.GetIncarnation(), Time: time.Unix(0, int64(m.GetTime())), Timed: m.GetTimed(),
		Sent: m.GetSent(), SentBytes: m.GetSentBytes(), Received: m.GetReceived(), ReceivedBytes: m.GetReceivedBytes(),
		Open: int(m.GetOpen()), Opened: m.GetOpened(), Lost: m.GetLost(), Refused: m.GetRefused(), NotReached: m.GetNotReached(),
	}
	for _, e := range m.GetEndpoints() {
		row := metrics.EndpointRow{Name: e.GetName(), Running: e.GetRunning()}
		for _, r := range e.GetSeries() {
			row.Series = append(row.Series, metrics.SeriesRow{
				Kind: metrics.KindOf(r.GetKind()), Type: r.GetType(),
				Received: r.GetReceived(), Asks: r.GetAsks(), Handled: r.GetHandled(), Failures: r.GetFailures(),
				Wait: decodeTimes(r.GetWait()), Handling: decodeTimes(r.GetHandling()),
			})
		}
		s.Endpoints = append(s.Endpoints, row)
	}
	for _, p := range m.GetPeers() {
		s.Peers = append(s.Peers, metrics.PeerRow{
			Address: p.GetAddress(), Name: p.GetName(), Listens: p.GetListens(), Connected: p.GetConnected(),
			Messages: int(p.GetMessages()), Bytes: int(p.GetBytes()),
		})
	}
	for _, d := range m.GetDrops() {
		s.Drops = append(s.Drops, metrics.DropRow{Reason: metrics.ReasonOf(d.GetReason()), Count: d.GetCount()})
	}
	return s
}

func decodeTimes(m *tracepb.TimeMetrics) (t metrics.Times) {
	copy(t.Counts[:], m.GetCounts())
	t.Sum = time.Duration(m.GetSum())
	return t
}
