package trace

import (
	"fmt"
	"strings"

	"github.com/coherer/coherer/rpcenv/oneline"
)

// Row is one line of the table of messages: all messages of one type from one place to another, where numbered peers
// count as one.
type Row struct {
	// Type is the message; answers are rows of their own, "CheckExistence reply".
	Type     string
	From, To string
	Count    int
	Bytes    uint64
}

// Rows counts the messages that were sent, in order of first occurrence.
func Rows(entries []Entry) []Row {
	type key struct{ typ, from, to string }
	at := map[key]int{}
	var rows []Row
	for i := range entries {
		e := &entries[i]
		if e.K != KindMsg {
			continue
		}
		k := key{e.typeName(), foldPlace(e.From), foldPlace(e.To)}
		if e.IsAnswer() {
			k.typ += " " + e.Form
		}
		n, ok := at[k]
		if !ok {
			n = len(rows)
			at[k] = n
			rows = append(rows, Row{Type: k.typ, From: k.from, To: k.to})
		}
		rows[n].Count++
		rows[n].Bytes += e.Bytes
	}
	return rows
}

// Table is Rows as text: a head, a line per row, the sums, and a line about messages whose type was not recorded, if any.
func Table(entries []Entry) string {
	lines := [][]string{{"MESSAGE", "FROM", "TO", "COUNT", "BYTES"}}
	count, size, note := 0, uint64(0), ""
	for _, r := range Rows(entries) {
		lines = append(lines, []string{oneline.Text(r.Type), oneline.Text(r.From), oneline.Text(r.To), fmt.Sprint(r.Count), fmt.Sprint(r.Bytes)})
		count += r.Count
		size += r.Bytes
		if strings.HasPrefix(r.Type, untyped) {
			note = aboutUntyped
		}
	}
	lines = append(lines, []string{"total", "", "", fmt.Sprint(count), fmt.Sprint(size)})
	return columns(lines, 3) + note
}

// Role is what numbered peers have in common: Worker1 and Worker2 are Worker, Exec2.0 is Exec, Driver2 is Driver.
func Role(peer string) string {
	peer, _, _ = strings.Cut(peer, "#") // Worker1#2 is the successor of Worker1: see Merge
	if role := strings.TrimRight(peer, "0123456789."); role != "" {
		return role
	}
	return peer
}

func foldPlace(p string) string { return place(Role(Peer(p)), EndpointOf(p)) }
