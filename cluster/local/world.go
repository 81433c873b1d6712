package local

import (
	"errors"
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/storage/broadcast"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Kind is the kind of a World.
type Kind string

// The kinds, by the names that scripts use.
const (
	// Sim is a simulation: one goroutine, virtual time, a seed.
	Sim Kind = "sim"
	// InProcess has all processes in this one, over memory.
	InProcess Kind = "local"
	// TCP has all processes in this one, over TCP on loopback.
	TCP Kind = "tcp"
)

// ErrNoSuchProcess means that no live process has that name.
var ErrNoSuchProcess = errors.New("local: no such process")

// Role starts a command's role on a new process.
type Role func(h rpcenv.Host, cmd rpcenv.Command) error

// World is where the processes of a cluster live. It belongs to one goroutine.
type World interface {
	Kind() Kind
	// Process makes a new process. Kill and Exited know it by name; ip is the address of its machine.
	Process(name string) (h rpcenv.Host, ip string)
	// Reserve is where a Master of that name will listen; its peers need the address before it starts.
	Reserve(name string) (rpcenv.Address, error)
	// SetRole says how Host.Start starts commands of a class, and how their processes are called.
	SetRole(class string, name func(rpcenv.Command) string, start Role)
	// Tie makes processes of a class end with the process that started them, as children of the operating system do.
	Tie(class string)
	// SetExecutor says how executors of a class are started, by the arguments that their Worker gives them.
	SetExecutor(class string, start func(rpcenv.Host, executor.Args) error)
	// Transfer fetches the blocks of executors, for drivers.
	Transfer() storage.Transfer
	// Executors are the executors' processes that run, in the order of their start.
	Executors() []Running
	// Run runs until cond holds, which is looked at whenever something happened.
	Run(cond func() bool, within time.Duration) error
	// Settle runs until nothing is under way: no item in an inbox, no message between Envs, no body that runs. Timers and
	// sleeping bodies are not waited for.
	Settle(within time.Duration) error
	// Wake makes Run look at its condition again. It may be called from any goroutine.
	Wake()
	// Kill ends a process as kill -9 does.
	Kill(name string) error
	// Exited reports the exit code of a process that has ended.
	Exited(name string) (code int, ended bool)
	// Recorder has the trace of all processes.
	Recorder() *record.Recorder
	// Simulated is the simulation, nil in other kinds.
	Simulated() *sim.World
	// Files are what drivers and executors read, and where they save: in memory, above the files of the system, which they only read;
	// those of the system where processes are.
	Files() rdd.OutputFS
	// Blocks serves the broadcasts of a driver whose Env is env.
	Blocks(env *rpcenv.Env) broadcast.Server
	blocks() *blockTable
	// Close ends everything.
	Close() error
}

// bodyLimit keeps whole messages in the trace: scripts print their fields.
const bodyLimit = 64 << 10

// NewWorld makes a World. Workers start executors in it, called Exec and their number, and drivers, called as they were submitted,
// that run a built-in program. The seed is for a simulation.
func NewWorld(kind Kind, seed uint64) (World, error) {
	var w World
	switch kind {
	case Sim:
		s := &simWorld{World: sim.New(seed, bodyLimit), ips: map[string]string{}}
		s.world, s.table, w = s, newBlockTable(kind), s
	case InProcess, TCP:
		w = newRealWorld(kind)
	case Processes:
		return newProcessWorld(), nil
	default:
		return nil, fmt.Errorf("local: no world is called %q: want sim, local, tcp or processes", kind)
	}
	w.SetExecutor(executor.Class, w.blocks().run)
	w.SetRole(worker.DriverClass, driverName, func(h rpcenv.Host, cmd rpcenv.Command) error { return startDriver(h, cmd, w) })
	return w, nil
}

// StartClient starts a process of a World, called name, that has one endpoint and listens nowhere: it ends as the endpoint does.
func StartClient(w World, name string, c *conf.Conf, endpoint string, e rpcenv.Endpoint) error {
	h, _ := w.Process(name)
	env, err := rpcenv.New(h, rpcenv.Config{Name: name, Conf: c, Log: rpcenv.NoLog()})
	if err != nil {
		return err
	}
	_, err = env.Register(endpoint, e)
	return err
}

// simWorld is a simulation. Each process has a machine of its own; those that a process starts live on its machine.
type simWorld struct {
	*sim.World
	executors
	ips map[string]string
}

func (w *simWorld) Kind() Kind { return Sim }

func (w *simWorld) Process(name string) (rpcenv.Host, string) {
	ip := w.ip(name)
	return w.Host(name, ip), ip
}

// ip is the address of the machine of a process.
func (w *simWorld) ip(name string) string {
	ip := w.ips[name]
	if ip == "" {
		ip = fmt.Sprintf("10.0.0.%d", len(w.ips)+1)
		w.ips[name] = ip
	}
	return ip
}

func (w *simWorld) SetRole(class string, name func(rpcenv.Command) string, start Role) {
	w.Roles[class] = func(h *sim.Host, cmd rpcenv.Command) error {
		h.Rename(name(cmd))
		return start(h, cmd)
	}
}

func (w *simWorld) Tie(class string) { w.Tied[class] = true }

func (w *simWorld) Settle(time.Duration) error {
	w.World.Settle()
	return w.Err()
}

func (w *simWorld) Wake() {}

func (w *simWorld) Kill(name string) error {
	h := w.Find(name)
	if h == nil {
		return fmt.Errorf("%w: %s", ErrNoSuchProcess, name)
	}
	h.Kill()
	return nil
}

func (w *simWorld) Exited(name string) (int, bool) { return w.World.Exited(name) }
func (w *simWorld) Simulated() *sim.World          { return w.World }

func (w *simWorld) Close() error {
	w.World.Close()
	return nil
}
