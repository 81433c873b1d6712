package rpcenv_test

import (
	"fmt"
	"log"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// An ordinary protoactor actor, or a future, talks to an endpoint by a PID: what it requests is an ask.
func ExampleEnv_PID() {
	host := transport.New(transport.Options{Memory: true})
	defer func() { _ = host.Close() }()
	env, err := rpcenv.New(host, rpcenv.Config{Name: "E", Listen: rpcenv.Address{Host: "127.0.0.1"}})
	if err != nil {
		log.Fatal(err)
	}
	defer env.Close()
	ref, err := env.Register("Greeter", greeting{})
	if err != nil {
		log.Fatal(err)
	}
	root := rpcenv.ActorSystem().Root
	answer, err := root.RequestFuture(env.PID(ref), wrapperspb.String("Ada"), time.Minute).Result()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.(*wrapperspb.StringValue).GetValue())
	// Output: hello, Ada
}

type greeting struct{}

func (greeting) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue:
		rpcenv.ReplyAs(c, m, wrapperspb.String("hello, "+m.GetValue()))
	default:
		c.Unsupported(m)
	}
}

// An isolated endpoint with several threads guards its own state: its callbacks overlap.
func ExampleIsolated() {
	host := transport.New(transport.Options{Memory: true})
	defer func() { _ = host.Close() }()
	env, err := rpcenv.New(host, rpcenv.Config{Name: "E"})
	if err != nil {
		log.Fatal(err)
	}
	defer env.Close()
	p := &pair{met: make(chan struct{})}
	ref, err := env.Register("Pair", p, rpcenv.Isolated(2))
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		if err := env.Send(ref, meet{}); err != nil {
			log.Fatal(err)
		}
	}
	<-p.met
	fmt.Println("two handlers were there at once")
	// Output: two handlers were there at once
}

type meet struct{ rpcenv.Local }

// pair has handlers that wait for each other, which those of a serial endpoint would do for ever.
type pair struct {
	there atomic.Int32
	met   chan struct{}
}

func (p *pair) Receive(*rpcenv.Context, rpcenv.Message) {
	if p.there.Add(1) == 2 {
		close(p.met)
	}
	<-p.met
}
