// Package sim is the simulated world of rpcenv: many Envs in one goroutine, on a virtual clock, over connections that are
// modelled, with faults.
//
//	w := sim.New(seed, 0)
//	h, err := w.Boot("Master", "10.0.0.1", func(h *sim.Host) error { ... rpcenv.New(h, ...) ... })
//	w.Schedule(plan)
//	err = w.Run(func() bool { return done }, time.Minute)
//
// A [World] simulates connections, not bytes: the time they take to be made, their failure, their end. Inboxes, outboxes,
// asks, connection events and the trace above them are those of the real world. Messages between Envs are encoded at the
// sender and decoded at the receiver, so that a shared pointer cannot hide; [World.ByReference] turns that off for Worlds of
// thousands of Envs. Handlers and bodies take no virtual time, unless [World.Cost] says so or they sleep. Worlds begin at
// 2026-01-01 00:00 UTC. [World.Pace] ties virtual time to the wall's, for spectators. Endpoints that send each other, or
// themselves, message after message without a wait stop the clock: after a million steps at one instant ([World.TurnLimit])
// the World ends, and [World.Err] names them.
//
// # Faults
//
// Faults are data: package fault lists them, [World.Apply] lets one happen now, [World.Schedule] those of a plan in time;
// [World.Calm] ends them. Without faults a connection is like one of TCP: what is sent arrives, in order, at most once.
//
//   - A cut holds what is sent, as a network that drops packets does under TCP: connections stay open, and what was held
//     arrives after the cut is healed. Dials wait, for two minutes at most.
//   - A rule drops, doubles, delays or reorders messages, above TCP: that is what the real network cannot do and a faulty
//     program can. What became of a message is an event of the trace, which names the rule. Copies have names of their own.
//   - Packets beside connections, such as those of gossip ([Host.Datagram]), are lost in a cut, and by the fault lose.
//   - A process that is paused handles nothing; what comes for it and its timers wait. It is not asked for by Settle.
//   - A machine that vanishes leaves connections half open: what is sent to it goes nowhere, until a new process at its
//     address resets them or, after 15 minutes, TCP gives up.
//   - A process that is restarted is another incarnation at the same address.
//
// # Determinism
//
// A run is a function of three things: the program, the seed, the script (what the test does, and the plan of faults).
// Whoever changes one line of an endpoint may change all that follows; whoever changes nothing gets the same trace, byte for
// byte, in another process, from another build. These break it, and this keeps it:
//
//  1. Map order. Endpoints and pure code range over a map only to count, or to collect what they then sort; the analyzer
//     endpointrule (cmd/endpointrule, run by `make vet`) reports a loop in which the order could be seen.
//  2. The world outside. An endpoint has no goroutine, channel, lock, coroutine, clock, time zone, randomness, file,
//     process, socket, nor the runtime's own knobs; endpointrule reports their use in each package that has a
//     Receive(*rpcenv.Context, ...) and in each file marked //coherer:pure.
//  3. Ties. What is sorted is sorted by a total order: two elements that compare as equal are equal.
//  4. Bytes. Messages are encoded deterministically. protojson and prototext, whose blanks depend on the build, appear in no
//     trace, golden file or hash.
//  5. Hashes. A key's partition is our own hash of its encoding; maphash differs from process to process.
//  6. The machine. Cores, host names, users and process ids come by configuration.
//  7. Random streams. Each has its name: seed, Host, purpose. One more number drawn from one changes no other.
//  8. Equal times. What is ready at one time runs in an order that the seed chooses; timers in the order of (time,
//     sequence). An inbox hands over one item a turn, so that every interleaving of endpoints can occur.
//  9. Threads. A World runs on its caller's goroutine, and bodies of Run are coroutines of it. Worlds side by side do not
//     touch each other.
//  10. Trust is good. Tests named TestSeeds... log the hashes of their traces, and `.ci/run seeds` compares those of two
//     separate processes.
//
// # Seeds
//
// The package's own test lets a small cluster talk under a random plan of faults, for hundreds of seeds, and checks its
// trace (package invariant) and what its endpoints saw. A seed that fails prints how to see it again, and is shrunk to the
// fewest faults:
//
//	go test ./rpcenv/sim -run TestSeeds -seed=17            the seed with its own plan
//	go test ./rpcenv/sim -run TestSeeds -plan=FILE          with the plan that was printed; reports a changed program
//	go test ./rpcenv/sim -run TestSeeds -seeds=10000        the sweep; `make soak` runs it
//	go test ./rpcenv/sim -run TestMutants -mutants=all      what the sweep finds, when the runtime is broken on purpose
package sim
