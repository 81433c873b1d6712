// Package rpctest tests endpoints: in a simulated world, on virtual time, without a port, in milliseconds. A World is a
// simulation that belongs to a test; a Probe is an endpoint in it that the test speaks through. This is a whole test file:
//
//	package greeter
//
//	import (
//		"errors"
//		"testing"
//		"time"
//
//		"google.golang.org/protobuf/types/known/wrapperspb"
//
//		"github.com/coherer/coherer/rpcenv"
//		"github.com/coherer/coherer/rpcenv/rpctest"
//	)
//
//	// greeter greets each asker by name, and reports to the porter each hour how many it greeted.
//	type greeter struct {
//		porter  rpcenv.Ref
//		greeted int32
//	}
//
//	type report struct{ rpcenv.Local }
//
//	var errNoName = rpcenv.NewRefusal("greeter.no-name", "a greeting needs a name")
//
//	func (g *greeter) OnStart(c *rpcenv.Context) { c.Every(time.Hour, time.Hour, report{}) }
//
//	func (g *greeter) Receive(c *rpcenv.Context, m rpcenv.Message) {
//		switch m := m.(type) {
//		case *wrapperspb.StringValue:
//			if m.GetValue() == "" {
//				rpcenv.Fail(c, m, errNoName)
//				return
//			}
//			g.greeted++
//			rpcenv.ReplyAs(c, m, wrapperspb.String("Hello, "+m.GetValue()))
//		case report:
//			c.Send(g.porter, wrapperspb.Int32(g.greeted))
//		default:
//			c.Unsupported(m)
//		}
//	}
//
//	func TestGreeter(t *testing.T) {
//		w := rpctest.New(t, 1)
//		porter := w.Probe("Porter") // an Env of its own, with an endpoint, both of that name
//		server := w.Env("Server", nil)
//		ref := w.Register(server, "Greeter", &greeter{porter: porter.Ref})
//
//		answer, err := rpctest.Ask[*wrapperspb.StringValue](porter, ref, wrapperspb.String("Ada"))
//		if err != nil || answer.GetValue() != "Hello, Ada" {
//			t.Error(answer, err)
//		}
//		_, err = rpctest.Ask[*wrapperspb.StringValue](porter, ref, wrapperspb.String(""))
//		if !errors.Is(err, errNoName) {
//			t.Error(err)
//		}
//
//		w.Advance(2 * time.Hour) // takes no time
//		for range 2 {
//			if n := porter.Next().(*wrapperspb.Int32Value).GetValue(); n != 1 {
//				t.Error(n, "greeted")
//			}
//		}
//		porter.Quiet(59 * time.Minute)
//	}
//
// # What a test does
//
//   - makes a World and what lives in it: [New], [World.Env], [World.ClientEnv], [World.Register], [World.Probe]
//   - speaks: [Probe.Send], [Ask], [Probe.Do], which runs any code in the Probe's inbox
//   - listens: [Probe.Next] is the next message that came, [Probe.Waiting] are those that came and were not read,
//     [Probe.On] answers, [Probe.Events] are the connections, [Probe.Quiet] wants silence
//   - lets time pass: [World.Advance], [World.Until], [World.Settle], which waits until nothing is under way
//   - breaks things: [Probe.Crash], [Probe.Restart], Cut, Heal and the other faults of package sim
//   - looks: [World.Trace] is everything that happened, with its causes
//
// Whatever waits runs the world until it is there, and fails the test after a minute of virtual time. Between two calls
// nothing happens. Messages and turns come in an order that the seed chooses, as far as the runtime promises none: run a
// test with several seeds to see others.
//
// Package script writes the same as a conversation in a text file. Package spec keeps a table of which test holds which sentence
// of a specification.
//
// # A callback that blocks
//
// An endpoint that waits for a channel, a lock, a sleep or I/O would stop the World, perhaps for ever. A callback that takes
// longer than a tenth of a second is examined ten times a second: if it sleeps the test fails at once, if it waits for
// something else after a second, if it works after five ([World.CallbackLimit]). The test fails where it ran the World, and
// names the endpoint that waits and the place. How busy the machine is does not count: a goroutine that is ready to run and
// only lacks a processor does not wait. A wait that is over within a tenth of a second is not seen; the analyzer
// endpointrule finds it in the source.
//
//	rpctest: Server/Greeter blocks in its callback for the message google.protobuf.StringValue: no end after 1s, state "chan receive". ...
//	goroutine 21 [chan receive]:
//	...
//
// The tests after it go on. The World is lost: only its goroutine still sees it, and ends it when the callback returns.
package rpctest
