// Package boot brings up the process that this is, and ends it: what daemons, drivers, executors, ApplicationMasters and commands
// have beneath their endpoints, and in which order it closes.
//
//	rec, err := boot.RecordAs("Client", c)
//	p, err := boot.New(boot.Options{Recorder: rec, Warn: log.Warn})
//	defer p.Close()
//	err = p.Open(rpcenv.Config{Name: "Client", Conf: c})
//
// A process has at most one Env. It makes the Env itself (Open), or a role makes it on p.Host; Serve takes it then, and lets others
// look at the process.
//
// Package process starts other processes.
package boot
