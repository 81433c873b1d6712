package local_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/local"
	tracepb "github.com/coherer/coherer/messages/trace"
)

// Each daemon hears of each other one, and of the end of a Worker that is killed.
func TestTheDaemonsOfAClusterAreMembersOfOneGossip(t *testing.T) {
	for _, kind := range []local.Kind{local.InProcess, local.TCP} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			c := local.Start(t, local.Config{Kind: kind})
			var seen sync.Map // what each has heard: a record may be seen twice
			see := func(r *tracepb.Record) {
				if r.GetKind() == tracepb.Kind_STATE && r.GetName() == "member" {
					seen.Store(fmt.Sprint(r.GetEnv(), r.GetSubject(), r.GetTo()), r.GetTo())
					c.Wake()
				}
			}
			t.Cleanup(c.Recorder().Watch(see))
			for _, r := range c.Recorder().Records() {
				see(r)
			}
			heard := func(what string) (n int) {
				seen.Range(func(_, to any) bool {
					if to == what {
						n++
					}
					return true
				})
				return n
			}
			if err := c.Run(func() bool { return heard("joined") == 6 }, time.Minute); err != nil {
				t.Fatalf("%v: %d times one has heard of another", err, heard("joined"))
			}
			if err := c.Kill("Worker1"); err != nil {
				t.Fatal(err)
			}
			if err := c.Run(func() bool { return heard("failed") == 2 }, time.Minute); err != nil {
				t.Fatalf("%v: %d have heard of its end", err, heard("failed"))
			}
		})
	}
}
