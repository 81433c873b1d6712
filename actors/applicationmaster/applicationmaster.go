package applicationmaster

import (
	"time"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/actors/applicationmaster/amrm"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// ApplicationMaster is the endpoint YarnAM. Make one with [New].
type ApplicationMaster struct {
	cfg      Config
	historic faults

	rm     rpcenv.Ref
	driver rpcenv.Ref
	token  *yarn.Token

	// The life of the application.
	context    *rpcenv.Call[*rpc.Bool] // the program's thread, which waits for the allocator
	registered bool
	finished   bool
	status     yarn.FinalApplicationStatus
	exitCode   int
	message    string
	shutdownAs *int32 // the exit code of the driver's Shutdown; nil: none has come

	// The calls of the ResourceManager.
	alloc    *allocator.Allocator // nil until it is ready
	pace     allocator.Pace
	timer    rpcenv.Timer // the next Report
	answered time.Time    // when the last call was
	call     amrm.Call    // the last one
	inFlight bool
	again    bool // wake came while a call was out
	unheard  bool // the last one is to be made once more: nobody knows whether it was heard
	failures int  // in a row
	since    time.Time
	balance  string // as the trace has it
	held     []func()
	proxy    rmproxy.Proxy // to the ResourceManager

	// The executors.
	nmTokens  map[rpcenv.Address]*yarn.Token
	launches  []launch // that wait for their turn
	launching int
	lossCalls map[string][]rpcenv.Call[*app.ExecutorExited]
}

// New makes the endpoint.
func New(cfg Config) (*ApplicationMaster, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &ApplicationMaster{
		cfg: cfg, token: cfg.Token, nmTokens: map[rpcenv.Address]*yarn.Token{},
		lossCalls: map[string][]rpcenv.Call[*app.ExecutorExited]{},
	}, nil
}

// OnStart waits for the program's driver in cluster mode, and registers in client mode.
func (m *ApplicationMaster) OnStart(c *rpcenv.Context) {
	c.SetLog(c.Log().WithField("attempt", m.cfg.Attempt))
	m.historic = faultsOf(c.Conf())
	m.rm = c.Env().Ref(m.cfg.ResourceManager, ServiceName)
	if m.cfg.ClusterMode {
		c.After(yarnAMWaitTime.Get(c.Conf()), ContextTimeout{})
		return
	}
	m.register(c, m.runExecutorLauncher)
}

// Receive is the table of contents.
func (m *ApplicationMaster) Receive(c *rpcenv.Context, msg rpcenv.Message) {
	switch msg := msg.(type) {
	// Of the driver.
	case *app.RequestExecutors:
		m.requestExecutors(c, msg)
	case *app.KillExecutors:
		m.killExecutors(c, msg)
	case *app.GetExecutorLossReason:
		m.getExecutorLossReason(c, msg)
	case *app.Shutdown:
		m.shutdown(c, msg)

	// Of the program's thread and its process.
	case ContextReady:
		m.contextReady(c, msg)
	case UserEnded:
		m.userEnded(c, msg)
	case Terminated:
		m.terminated(c)

	// Timers.
	case Report:
		m.report(c)
	case rmproxy.Retry:
		m.proxy.Retry(c)
	case ContextTimeout:
		m.contextTimeout(c)

	default:
		c.Unsupported(msg)
	}
}

// Balances are the allocator's books, for observers outside a simulation, which call it while nothing runs.
func (m *ApplicationMaster) Balances() []allocator.Balance {
	if m.alloc == nil {
		return nil
	}
	return m.alloc.Balances()
}
