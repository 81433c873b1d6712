package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// envKey is one Env among all files.
type envKey struct {
	file int
	env  uint32
}

// msgKey names an item: a message of a connection in every file alike, anything else within its Env.
type msgKey struct {
	conn uint64
	back bool
	env  envKey // of a local one only
	n    uint64
}

// envInfo is what the files say about one Env.
type envInfo struct {
	key     envKey
	own     string // the name that it gave itself
	name    string // its name in the trace, which no other Env has
	address string
	since   uint64
}

// Family says which Envs are named after another one. Of several that are called Head the second is Head2; a member, one of
// Members and a number, that is connected to it carries its number: with Exec among them, Exec2.0 is the Exec0 of Head2.
type Family struct {
	Head    string
	Members []string
}

// names has the names of the Envs in the files, and of the connections between them.
type names struct {
	family Family
	envs   map[envKey]*envInfo
	sorted []*envInfo // by start
	// ends are the Envs seen at each connection, in the order in which they were seen.
	ends map[uint64][]envKey
	// prefix counts the connections that begin with the same 8 hex digits.
	prefix map[uint64]int
}

// newNames finds the Envs in the files and gives every one a name of its own.
func newNames(family Family, files [][]*tracepb.Record) *names {
	ns := &names{family: family, envs: map[envKey]*envInfo{}, ends: map[uint64][]envKey{}, prefix: map[uint64]int{}}
	for f, records := range files {
		for _, r := range records {
			ns.see(envKey{f, r.GetEnv()}, r)
		}
	}
	slices.SortStableFunc(ns.sorted, func(a, b *envInfo) int {
		return cmp.Or(cmp.Compare(a.since, b.since), strings.Compare(a.own, b.own), strings.Compare(a.address, b.address),
			cmp.Compare(a.key.file, b.key.file), cmp.Compare(a.key.env, b.key.env))
	})
	ns.nameAll() // in order of start, so that the first of two Workers of one name keeps it
	return ns
}

// see notes what one record says about an Env and a connection.
func (ns *names) see(key envKey, r *tracepb.Record) {
	e := ns.envs[key]
	if e == nil {
		e = &envInfo{key: key, own: fmt.Sprintf("Env%d", key.env), since: firstTime(r)}
		ns.envs[key] = e
		ns.sorted = append(ns.sorted, e)
	}
	e.since = min(e.since, firstTime(r))
	if r.GetKind() == tracepb.Kind_ENV {
		e.own, e.address = cmp.Or(clean(r.GetPeer()), e.own), cmp.Or(r.GetAddress(), e.address)
	}
	if conn := r.GetId().GetConn(); conn != 0 {
		if len(ns.ends[conn]) == 0 {
			ns.prefix[conn>>32]++
		}
		if !slices.Contains(ns.ends[conn], key) {
			ns.ends[conn] = append(ns.ends[conn], key)
		}
	}
}

// clean makes a name one word that nobody takes for PEER/ENDPOINT.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r <= ' ' {
			return '_'
		}
		return r
	}, name)
}

// nameAll names the heads of the family first, since its members are named after them.
func (ns *names) nameAll() {
	taken := map[string]bool{}
	give := func(e *envInfo, name string) {
		e.name = name
		for i := 2; taken[e.name]; i++ {
			e.name = fmt.Sprintf("%s#%d", name, i)
		}
		taken[e.name] = true
	}
	heads := 0
	for _, e := range ns.sorted {
		if e.own != ns.family.Head {
			continue
		}
		if heads++; heads == 1 {
			give(e, e.own)
		} else {
			give(e, fmt.Sprintf("%s%d", e.own, heads))
		}
	}
	for _, e := range ns.sorted { // inFamily needs the names of all heads
		if e.name == "" {
			give(e, ns.inFamily(e))
		}
	}
}

// inFamily is Exec2.0 for the Exec0 that is connected to Head2.
func (ns *names) inFamily(e *envInfo) string {
	role, number := splitNumber(e.own)
	if number == "" || !slices.Contains(ns.family.Members, role) {
		return e.own
	}
	for _, head := range ns.sorted {
		which, ok := strings.CutPrefix(head.name, ns.family.Head)
		if ok && which != "" && ns.connected(e.key, head.key) {
			return role + which + "." + number
		}
	}
	return e.own
}

func (ns *names) connected(a, b envKey) bool {
	for _, ends := range ns.ends {
		if slices.Contains(ends, a) && slices.Contains(ends, b) {
			return true
		}
	}
	return false
}

// splitNumber divides Worker12 into Worker and 12.
func splitNumber(name string) (role, number string) {
	role = strings.TrimRight(name, "0123456789")
	return role, name[len(role):]
}

// env is the final name of an Env.
func (ns *names) env(key envKey) string {
	if e := ns.envs[key]; e != nil {
		return e.name
	}
	return Unknown
}

// otherEnd is the name of the Env at the other end of a connection; empty when only one end recorded it.
func (ns *names) otherEnd(conn uint64, key envKey) string {
	for _, end := range ns.ends[conn] {
		if end != key {
			return ns.env(end)
		}
	}
	return ""
}

// receiver names the addressee of a message whose arrival nobody recorded: by the connection, else as a stranger.
func (ns *names) receiver(key envKey, r *tracepb.Record) string {
	if r.GetId() != nil && r.GetId().GetConn() == 0 && r.GetKind() != tracepb.Kind_DROP {
		return ns.env(key)
	}
	if name := ns.otherEnd(r.GetId().GetConn(), key); name != "" {
		return name
	}
	return ns.stranger(r)
}

// stranger names the other Env of a record: by the address, of the last Env that had begun to listen there, else by the
// name that the recording Env had for it.
func (ns *names) stranger(r *tracepb.Record) string {
	byAddress, byName := "", ""
	for _, e := range ns.sorted { // by start, so the last one that fits wins: a port is used again
		if e.since > r.GetTime() {
			continue
		}
		if r.GetAddress() != "" && e.address == r.GetAddress() {
			byAddress = e.name
		}
		if r.GetPeer() != "" && e.own == r.GetPeer() {
			byName = e.name
		}
	}
	return cmp.Or(byAddress, byName, clean(r.GetPeer()), clean(r.GetAddress()), Unknown)
}

// conn is the name of a connection: its first 8 hex digits, or all 16 where two begin alike.
func (ns *names) conn(conn uint64) string {
	if ns.prefix[conn>>32] > 1 {
		return fmt.Sprintf("%016x", conn)
	}
	return fmt.Sprintf("%08x", conn>>32)
}

// key names an item: a message of a connection by the connection, a local one by its Env.
func (ns *names) key(file int, env uint32, id *tracepb.Id) msgKey {
	if id.GetConn() != 0 {
		return msgKey{conn: id.GetConn(), back: id.GetBack(), n: id.GetN()}
	}
	if id.GetEnv() != 0 {
		env = id.GetEnv()
	}
	return msgKey{env: envKey{file, env}, n: id.GetN()}
}

// id is the final form of a key.
func (ns *names) id(k msgKey) string {
	switch {
	case k.n == 0:
		return ""
	case k.conn == 0:
		return fmt.Sprintf("%s.%d", ns.env(k.env), k.n)
	case k.back:
		return fmt.Sprintf("%s.<.%d", ns.conn(k.conn), k.n)
	}
	return fmt.Sprintf("%s.>.%d", ns.conn(k.conn), k.n)
}

// firstTime is the earliest moment in a record.
func firstTime(r *tracepb.Record) uint64 {
	t := r.GetTime()
	if r.GetStarted() != 0 {
		t = min(t, r.GetStarted())
	}
	if r.GetReceived() != 0 {
		t = min(t, r.GetReceived())
	}
	return t
}
