// Package node runs daemons. Master, Worker, ResourceManager and NodeManager make a daemon's Env and role on any Host, a simulated
// one as well; RunMaster and its like are whole processes: Env, role, membership, trace, the ready line, and the end in good
// order; Launch makes a process an executor.
//
// A daemon ends when its context does, when its role decides so (an *ExitError with the code), or with the process that
// started it. Errors of its start say what to change.
package node
