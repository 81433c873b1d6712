// Package reader is the endpoint by which the counters of a process are read while it runs. Spark has nothing like it: its
// counters leave a process by the sinks of its metrics system.
//
// Every daemon, driver and executor has one, under the name "Metrics", in the Env of its role. Its messages are untraced.
// Executors are in client mode: their drivers and Workers ask them on behalf of others.
package reader
