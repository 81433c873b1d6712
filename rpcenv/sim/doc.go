// Package sim is the simulated world of rpcenv: many Envs in one goroutine, on a virtual clock, over connections that are
// modelled, with faults.
//
// A run is a function of the program, the seed and the script. What would break that, and what keeps it:
//
//  1. Map order: endpoints and pure code range over a map only to count, or to collect what is then sorted.
//  2. Goroutines, channels, clocks, randomness, files and sockets: endpoints have none; the analyzer endpointrule holds
//     this and 1.
//  3. Ties: sorts name a total order.
//  4. Bytes: messages are encoded deterministically; nothing that depends on a build goes into a trace.
//  5. Hashes of keys are our own, over the encoded key.
//  6. Cores, host names, users and process ids come by configuration.
//  7. Streams of random numbers are derived by name: seed, Host, purpose.
//  8. What is ready at one time runs in a seeded order; timers in the order of (time, sequence). An inbox hands over one
//     item a turn, so that every interleaving of endpoints can occur.
//  9. A World runs on its caller's goroutine; bodies of Run are coroutines.
//  10. A seed's trace has the same hash in two separate processes; a test runs them.
//
// Messages between Envs are encoded at the sender and decoded at the receiver, so that a shared pointer cannot hide.
// Bodies take no virtual time unless they sleep. Worlds begin at 2026-01-01 00:00 UTC.
//
// A cut holds what is sent, as a network that drops packets does under TCP: connections stay open, and what was held
// arrives after the cut is healed.
package sim
