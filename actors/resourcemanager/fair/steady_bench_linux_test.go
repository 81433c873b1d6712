package fair

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/messages/yarn"
)

// BenchmarkSteady is the shape steady of Hadoop's own figures: each round is one update of every node, and every application
// takes what it was given, with the tokens of its containers and nodes, ends all of it and asks again.
func BenchmarkSteady(b *testing.B) {
	for _, multiple := range []bool{false, true} {
		for _, x := range []shape{
			{nodes: 1000, apps: 100, queues: 10},
			{nodes: 1000, apps: 500, queues: 10},
			{nodes: 5000, apps: 1000, queues: 10},
			{nodes: 5000, apps: 1000, queues: 100, locality: true},
		} {
			x.conf = func(c *Config) { c.AssignMultiple = multiple }
			b.Run(fmt.Sprintf("assignmultiple=%v/%s", multiple, x), func(b *testing.B) { benchSteady(b, x) })
		}
	}
}

func benchSteady(b *testing.B, x shape) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := newRig(b, x)
	count := x.nodes * 8 / x.apps
	r.ask(x, count)
	r.Update(r.now)
	books := newTokenBooks(x)
	begun, before := time.Now(), threadTime(b)
	lives := 0
	for b.Loop() {
		r.heartbeats(begun, nil)
		for i, id := range r.attempts {
			g, err := r.Allocate(r.now, id, Demand{})
			r.must(err)
			for _, c := range g.Containers {
				r.must(books.pull(r.now, i, &c))
				lives += len(r.Complete(r.now, c.ID, End{}))
			}
			_, err = r.Allocate(r.now, id, Demand{Asks: r.asks(x, i, count)})
			r.must(err)
		}
	}
	spent := threadTime(b) - before
	if lives == 0 || books.made < lives {
		b.Fatalf("%d containers lived, %d tokens were made", lives, books.made)
	}
	r.report(b, "lives", lives, spent)
}

// tokenBooks make the tokens with which a ResourceManager hands out containers: one for each container, and one for each node
// that an attempt has none for yet.
type tokenBooks struct {
	life   life.Life
	nodes  map[string]ids.Node
	nmHave []map[ids.Node]bool // of each attempt, the nodes with a token
	made   int
}

func newTokenBooks(x shape) *tokenBooks {
	key := func(id int32) *yarn.MasterKey { return &yarn.MasterKey{KeyId: id, Bytes: make([]byte, 20)} }
	k := &tokenBooks{life: life.Life{Timestamp: epoch, Container: key(1), NM: key(2)}, nodes: map[string]ids.Node{}}
	for n := range x.nodes {
		id := ids.Node{Host: fmt.Sprintf("host%d", n), Port: 8041}
		k.nodes[id.String()] = id
	}
	for range x.apps {
		k.nmHave = append(k.nmHave, map[ids.Node]bool{})
	}
	return k
}

// pull makes the tokens of a container that the attempt of an application takes.
func (k *tokenBooks) pull(now time.Duration, app int, c *Container) error {
	node, ok := k.nodes[c.Node]
	if !ok {
		return fmt.Errorf("no node %s", c.Node)
	}
	at := epoch + now.Milliseconds()
	if _, err := k.life.ContainerToken(node, &yarn.ContainerTokenIdentifier{
		ContainerId: c.ID.Proto(), AppSubmitter: "u", Resource: c.Resource.Proto(), ExpiryTimeStamp: at + (10 * time.Minute).Milliseconds(),
		Priority: &yarn.Priority{Priority: c.Key.Priority}, CreationTime: at,
	}); err != nil {
		return err
	}
	k.made++
	if k.nmHave[app][node] {
		return nil
	}
	if _, err := k.life.NMToken(c.ID.Attempt, node, "u"); err != nil {
		return err
	}
	k.nmHave[app][node] = true
	k.made++
	return nil
}
