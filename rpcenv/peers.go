package rpcenv

import (
	"github.com/coherer/coherer/rpcenv/metrics"
)

// Time makes the Env measure from now on how long messages wait in inboxes and how long callbacks take.
func (e *Env) Time() { e.metrics.Time() }

// Metrics are the Env's counters, and what waits for its peers now. It may be called from any goroutine.
func (e *Env) Metrics() metrics.Snapshot {
	s := e.metrics.Snapshot()
	s.Env, s.Address, s.Incarnation, s.Time = e.cfg.Name, e.addr.String(), e.incarnation, e.host.Now()
	s.Running(e.endpoints.names())
	conns := e.connections.open()
	s.Open = len(conns)
	s.Peers = metrics.Fold(peerRows(conns, e.outboxes.all()))
	return s
}

// peerRows are one row for each listening peer, and one for each connection of one in client mode.
func peerRows(conns []*conn, boxes []*outbox) []metrics.PeerRow {
	// A listening peer may have several connections, since both sides may dial, and an outbox beside them: their bytes add up.
	var rows []metrics.PeerRow
	at := map[Address]int{}
	for _, c := range conns {
		row := metrics.PeerRow{Address: c.peer.String(), Name: c.way.peer, Listens: c.listening, Connected: true}
		row.Messages, row.Bytes = c.unsent()
		row.Bytes += c.link.Queued()
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
		rows[i].Messages += row.Messages
		rows[i].Bytes += row.Bytes
	}
	for _, ob := range boxes {
		ob.mu.Lock()
		messages, bytes := ob.queue.len(), ob.bytes
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
