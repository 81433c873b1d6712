package show

import (
	"fmt"
	"strings"

	"github.com/coherer/coherer/rpcenv/oneline"
	"github.com/coherer/coherer/rpcenv/trace"
)

// tableRow is one line of the table of messages: all messages of one type from one place to another, where numbered peers
// count as one.
type tableRow struct {
	// Type is the message; answers are rows of their own, "CheckExistence reply".
	Type     string
	From, To string
	Count    int
	Bytes    uint64
}

// tableRows counts the messages that were sent, in order of first occurrence.
func tableRows(entries []trace.Entry) []tableRow {
	type key struct{ typ, from, to string }
	at := map[key]int{}
	var rows []tableRow
	for i := range entries {
		e := &entries[i]
		if e.K != trace.KindMsg {
			continue
		}
		k := key{typeName(e), foldPlace(e.From), foldPlace(e.To)}
		if e.IsAnswer() {
			k.typ += " " + e.Form
		}
		n, ok := at[k]
		if !ok {
			n = len(rows)
			at[k] = n
			rows = append(rows, tableRow{Type: k.typ, From: k.from, To: k.to})
		}
		rows[n].Count++
		rows[n].Bytes += e.Bytes
	}
	return rows
}

// Table is tableRows as text: a head, a line per row, the sums, and a line about messages whose type was not recorded, if any.
func Table(entries []trace.Entry) string {
	lines := [][]string{{"MESSAGE", "FROM", "TO", "COUNT", "BYTES"}}
	count, size, note := 0, uint64(0), ""
	for _, r := range tableRows(entries) {
		lines = append(lines, []string{oneline.Text(r.Type), oneline.Text(r.From), oneline.Text(r.To), fmt.Sprint(r.Count), fmt.Sprint(r.Bytes)})
		count += r.Count
		size += r.Bytes
		if strings.HasPrefix(r.Type, untyped) {
			note = aboutUntyped
		}
	}
	lines = append(lines, []string{"total", "", "", fmt.Sprint(count), fmt.Sprint(size)})
	return Columns(lines, 3) + note
}

func foldPlace(p string) string { return trace.Place(trace.Role(trace.Peer(p)), trace.EndpointOf(p)) }
