// Package rpctest tests endpoints: in a simulated world, on virtual time, without a port, in milliseconds.
//
//	w := rpctest.New(t, 1)
//	env := w.Env("M", nil)                            // listens at 10.0.0.1:7077
//	ref, _ := env.Register("Greeter", &greeter{})
//	p := w.Probe("P")                                 // an Env of its own with an endpoint that the test speaks through
//	answer := rpctest.Ask[*wrapperspb.StringValue](p, ref, wrapperspb.String("Ada"))
//
// A Probe records what it receives; On makes it answer. Whatever waits (Ask, Probe.Next, World.Until) runs the world
// until it is there, and fails the test after a minute of virtual time.
package rpctest
