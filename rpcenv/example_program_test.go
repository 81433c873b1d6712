package rpcenv_test

import (
	"context"
	"fmt"
	"log"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// greeter greets, and counts whom. Its state is its own: callbacks come one at a time.
type greeter struct{ greeted int }

func (g *greeter) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue:
		g.greeted++
		text := fmt.Sprintf("Hello, %s! You are number %d.", m.GetValue(), g.greeted)
		rpcenv.ReplyAs(c, m, wrapperspb.String(text))
	default:
		c.Unsupported(m)
	}
}

func Example_program() {
	host := transport.New(transport.Options{})
	defer host.Close()
	server, err := rpcenv.New(host, rpcenv.Config{Name: "Server", Listen: rpcenv.Address{Host: "127.0.0.1"}})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	if _, err := server.Register("Greeter", &greeter{}); err != nil {
		log.Fatal(err)
	}

	client, err := rpcenv.New(host, rpcenv.Config{Name: "Client"}) // it does not listen
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	ref := client.Ref(server.Address(), "Greeter")
	b := client.Blocking(context.Background()) // this is no endpoint: it may wait
	defer b.Close()
	answer, err := rpcenv.AskWaitAs[*wrapperspb.StringValue](b, ref, wrapperspb.String("Ada"))
	fmt.Println(answer.GetValue(), err)
	// Output:
	// Hello, Ada! You are number 1. <nil>
}
