// Package boot brings up the process that this is, and ends it: what daemons, drivers, executors, ApplicationMasters and commands
// have beneath their endpoints, and in which order it closes.
//
//	rec, err := boot.RecordAs("Client", c)
//	p, err := boot.Open(boot.Options{Recorder: rec, Warn: log.Warn}, rpcenv.Config{Name: "Client", Conf: c})
//	defer p.Close()
//
// A process has one Env. Open makes it; after New a role makes it on p.Host. Serve lets others look at the process by it.
//
// Package process starts other processes.
package boot
