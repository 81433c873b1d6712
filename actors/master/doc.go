// Package master is the Master of a standalone cluster: it keeps the books of Workers and applications, decides where
// executors run and orders them. It mirrors org.apache.spark.deploy.master.
//
// The Master is one endpoint. schedule.go and health.go are its decisions, pure functions over the books of state.go;
// states.go says which states may follow each other. A handler changes the books first, then sends; messages to one
// peer arrive in the order in which they were sent, so a Worker gets an application's KillExecutors before its
// ApplicationFinished.
//
// The Master trusts a Worker while its connection stands and a heartbeat comes within spark.worker.timeout. A Worker that it
// gives up may be alive. When it comes back it registers and lists what it runs (WorkerLatestState), and the Master kills what
// it counted as lost meanwhile. Each handler may see a message or an event twice.
//
// A [Placement] decides where executors go: Spark's two or one of the user's. Filters (filters.go) decide whether a Worker can
// take one at all, and say in words why it cannot.
//
// # Records
//
// With a Store the Master keeps a record of each application, Worker and driver, written behind its handlers
// (rpcenv.Journal): what it sends after a change waits until the record is durable, so a crash undoes nothing that a peer has
// heard of. A Master that cannot write its records ends, with exit code 1, and promises nothing more. A new leader reads the
// records, sends MasterChanged to each Worker and application in them, and is RECOVERING until all have answered or
// spark.deploy.recoveryTimeout is over; then it gives up the rest and is ALIVE. See election.go, records.go and recovery.go.
//
// # Historic faults
//
// For study the Master can have faults that Spark had or has, which coherer.compat names: see historic.go.
package master
