// Command hello is the smallest program with an endpoint: a greeter in one Env, a client in another, TCP between them. Its
// messages are protobuf's own wrapper types, so it needs no generated code. Copy it to begin a program of your own.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// greeter is an endpoint: its state belongs to it alone, since Receive is called for one message at a time.
type greeter struct{ greeted int }

func (g *greeter) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue:
		g.greet(c, m)
	default:
		c.Unsupported(m)
	}
}

func (g *greeter) greet(c *rpcenv.Context, name *wrapperspb.StringValue) {
	if name.GetValue() == "" {
		rpcenv.Fail(c, name, errNoName)
		return
	}
	g.greeted++
	rpcenv.ReplyAs(c, name, wrapperspb.String(fmt.Sprintf("Hello, %s! You are number %d.", name.GetValue(), g.greeted)))
}

// errNoName fails an ask. It keeps its identity over the network: errors.Is finds it at the asker.
var errNoName = rpcenv.NewRefusal("hello.no-name", "a greeting needs a name")

func main() {
	if err := run(os.Stdout, "Ada", "Grace"); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run greets names through two Envs on loopback. The client knows only the address and the name of the greeter.
func run(out io.Writer, names ...string) (err error) {
	host := transport.New(transport.Options{})
	defer func() { err = errors.Join(err, host.Close()) }()

	server, err := rpcenv.New(host, rpcenv.Config{Name: "Server", Listen: rpcenv.Address{Host: "127.0.0.1"}})
	if err != nil {
		return err
	}
	defer server.Close()
	if _, err := server.Register("Greeter", &greeter{}); err != nil {
		return err
	}

	client, err := rpcenv.New(host, rpcenv.Config{Name: "Client"}) // it does not listen
	if err != nil {
		return err
	}
	defer client.Close()
	ref := client.Ref(server.Address(), "Greeter")
	// Code outside of endpoints may block: Blocking lets it ask and wait.
	b := client.Blocking(context.Background())
	for _, name := range names {
		answer, err := rpcenv.AskWaitAs[*wrapperspb.StringValue](b, ref, wrapperspb.String(name))
		if err != nil {
			return fmt.Errorf("greet %q: %w", name, err)
		}
		fmt.Fprintln(out, answer.GetValue())
	}
	return nil
}
