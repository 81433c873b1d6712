package rpcenv_test

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

// registry keeps names, and answers whether it has one.
type registry struct{ names map[string]bool }

func (r *registry) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue:
		r.names[m.GetValue()] = true
	case *rpc.CheckExistence:
		rpcenv.Reply(c, m, &rpc.Bool{Value: r.names[m.GetName()]})
	default:
		c.Unsupported(m)
	}
}

// visitor sends the registry its name, and asks for it.
type visitor struct{ registry rpcenv.Ref }

func (v *visitor) OnStart(c *rpcenv.Context) {
	c.Send(v.registry, wrapperspb.String("Ada"))
	for _, name := range []string{"Ada", "Bob"} {
		rpcenv.Ask(c, v.registry, &rpc.CheckExistence{Name: name}, func(known *rpc.Bool, err error) {
			fmt.Println(name, known.GetValue(), err)
		})
	}
}

func (v *visitor) Receive(c *rpcenv.Context, m rpcenv.Message) { c.Unsupported(m) }

// twoEnvs makes a registry at 10.0.0.1:7077 and an Env in client mode.
func twoEnvs(w *sim.World) (registryRef rpcenv.Ref, client *rpcenv.Env) {
	server, err := rpcenv.New(w.Host("Server", "10.0.0.1"), rpcenv.Config{Name: "Server", Listen: rpcenv.Address{Host: "10.0.0.1", Port: 7077}})
	if err != nil {
		panic(err)
	}
	ref, err := server.Register("Registry", &registry{names: map[string]bool{}})
	if err != nil {
		panic(err)
	}
	client, err = rpcenv.New(w.Host("Client", "10.0.0.2"), rpcenv.Config{Name: "Client"})
	if err != nil {
		panic(err)
	}
	return ref, client
}

// One endpoint sends to another in another process, and asks it.
func Example() {
	w := sim.New(1, 0)
	defer w.Close()
	ref, client := twoEnvs(w)
	if _, err := client.Register("Visitor", &visitor{ref}); err != nil {
		panic(err)
	}
	w.Settle()
	// Output:
	// Ada true <nil>
	// Bob false <nil>
}

// A program resolves an endpoint by its URI, asks and waits. In a simulation sleeping takes no time.
func ExampleEnv_Go() {
	w := sim.New(1, 0)
	defer w.Close()
	_, client := twoEnvs(w)
	client.Go("program", func(b *rpcenv.Blocking) error {
		ref, err := rpcenv.ResolveWait(b, "spark://Registry@10.0.0.1:7077")
		if err != nil {
			return err
		}
		begin := b.Now()
		if err := b.Sleep(time.Hour); err != nil {
			return err
		}
		known, err := rpcenv.AskWait(b, ref, &rpc.CheckExistence{Name: "Ada"})
		fmt.Println(ref, known.GetValue(), b.Now().Sub(begin) >= time.Hour)
		return err
	})
	w.Advance(2 * time.Hour)
	// Output:
	// spark://Registry@10.0.0.1:7077 false true
}

// resolver looks an endpoint up when it starts.
type resolver struct{ uri string }

func (r *resolver) OnStart(c *rpcenv.Context) {
	rpcenv.Resolve(c, r.uri, func(ref rpcenv.Ref, err error) { fmt.Println(ref.Name, err) })
}

func (r *resolver) Receive(c *rpcenv.Context, m rpcenv.Message) { c.Unsupported(m) }

// To look an endpoint up is to ask the verifier of its Env.
func ExampleResolve() {
	w := sim.New(1, 0)
	defer w.Close()
	_, client := twoEnvs(w)
	for i, uri := range []string{"spark://Registry@10.0.0.1:7077", "spark://Nobody@10.0.0.1:7077"} {
		if _, err := client.Register(fmt.Sprint("Resolver", i), &resolver{uri}); err != nil {
			panic(err)
		}
		w.Settle()
	}
	// Output:
	// Registry <nil>
	//  could not find the endpoint: Cannot find endpoint: spark://Nobody@10.0.0.1:7077
}

// worker does long work outside of its inbox.
type worker struct{}

func (worker) OnStart(c *rpcenv.Context) {
	for _, job := range []string{"first", "second"} {
		rpcenv.Run(c, "jobs", func(b *rpcenv.Blocking) (string, error) {
			return job + " done", b.Sleep(time.Second)
		}, func(result string, err error) {
			fmt.Println(result, err)
		})
	}
	fmt.Println("the inbox goes on")
}

func (worker) Receive(c *rpcenv.Context, m rpcenv.Message) { c.Unsupported(m) }

// Bodies of one lane run one after the other; their results come back into the inbox.
func ExampleRun() {
	w := sim.New(1, 0)
	defer w.Close()
	_, client := twoEnvs(w)
	if _, err := client.Register("Worker", worker{}); err != nil {
		panic(err)
	}
	w.Advance(3 * time.Second)
	// Output:
	// the inbox goes on
	// first done <nil>
	// second done <nil>
}
