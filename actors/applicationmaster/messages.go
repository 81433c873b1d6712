package applicationmaster

import (
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Messages of the program's own thread to its ApplicationMaster in cluster mode. They stand for the hand-shake of
// ApplicationMaster.sparkContextInitialized and resumeDriver.
type (
	// ContextReady says that the driver is ready. It is answered when the allocator is ready, or fails when it never will be.
	ContextReady struct {
		rpcenv.Local
		// TrackingURL is where the driver's pages are; "" without pages.
		TrackingURL string
	}
	// UserEnded says that the program has ended. The ApplicationMaster then ends the application and the process.
	UserEnded struct {
		rpcenv.Local
		// Code is the exit code that the program chose; 0 with an Err is that of an uncaught exception.
		Code int
		// Err says why it failed; "" when it did not.
		Err string
	}
	// Terminated says that the process is asked to end from outside, as by a signal.
	Terminated struct{ rpcenv.Local }
)

// ReplyType is the answer to ContextReady.
func (ContextReady) ReplyType() *rpc.Bool { return nil }

// Timers of an ApplicationMaster.
type (
	// Report is the tick of the next call of the ResourceManager. It mirrors the thread Reporter.
	Report struct{ rpcenv.Local }
	// ContextTimeout is the end of spark.yarn.am.waitTime.
	ContextTimeout struct{ rpcenv.Local }
)
