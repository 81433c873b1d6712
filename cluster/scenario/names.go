package scenario

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/coherer/coherer/rpcenv/trace"
)

// names replaces the ids of a run by the names of its script: a Worker's id by $W1, an application's by $A. Ids contain times and
// ports, which differ between worlds.
type names struct {
	ids []idName
}

type idName struct{ id, name string }

// learn takes the ids out of the messages that give them.
func (n *names) learn(entries []trace.Entry) {
	for _, e := range entries {
		switch e.Type {
		case "RegisterWorker":
			n.add(field(e.Body, "id"), trace.Peer(e.From))
		case "RegisteredApplication":
			n.add(field(e.Body, "appId"), trace.Peer(e.To))
		}
	}
}

func (n *names) add(id, name string) {
	if id == "" || slices.ContainsFunc(n.ids, func(x idName) bool { return x.id == id }) {
		return
	}
	n.ids = append(n.ids, idName{id, "$" + name})
	// The longest first: an id may be the beginning of another.
	slices.SortStableFunc(n.ids, func(a, b idName) int { return cmp.Compare(len(b.id), len(a.id)) })
}

// driverID is the id of a driver in cluster mode: its number says which one it is.
var driverID = regexp.MustCompile(`driver-\d{14}-0*(\d+)`)

// yarnID is the id of an application on YARN, of an attempt or of a container.
var yarnID = regexp.MustCompile(`\b(application|appattempt|container)_(e\d+_)?\d+((_\d+)+)\b`)

// yarnName is an id of YARN without the time and the noughts: $container1.1.2 is the second one of the first attempt of the
// first application.
func yarnName(id string) string {
	m := yarnID.FindStringSubmatch(id)
	numbers := strings.Split(m[3][1:], "_")
	for i, n := range numbers {
		numbers[i] = cmp.Or(strings.TrimLeft(n, "0"), "0")
	}
	return "$" + m[1] + strings.TrimSuffix(m[2], "_") + strings.Join(numbers, ".")
}

// moment is a time as Hadoop puts it before its words.
var moment = regexp.MustCompile(`\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\]`)

// id is what a name stands for.
func (n *names) id(name string) (string, bool) {
	for _, x := range n.ids {
		if x.name == name {
			return x.id, true
		}
	}
	return "", false
}

func (n *names) substitute(s string) string {
	s = driverID.ReplaceAllString(s, "$$driver$1")
	s = yarnID.ReplaceAllStringFunc(s, yarnName)
	s = moment.ReplaceAllString(s, "[$$time]")
	for _, x := range n.ids {
		s = strings.ReplaceAll(s, x.id, x.name)
	}
	return s
}

// field is a string field of an entry's body.
func field(body, name string) string {
	var m map[string]any
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		return ""
	}
	s, _ := m[name].(string)
	return s
}
