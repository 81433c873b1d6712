package rpcenv

import (
	"maps"
	"slices"

	"github.com/coherer/coherer/rpcenv/metrics"
)

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
