package scenario

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/local"
	clusternode "github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/cluster/scenario/standin"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
	"github.com/coherer/coherer/rpcenv/sim"
)

// standIn is the class of the executors of an application without a program: processes that watch their Worker, do nothing,
// and end as the script says.
const standIn = "coherer.scenario.StandIn"

// behaviour is when and how the executors of an application end.
type behaviour struct {
	exits   bool
	code    int
	after   time.Duration
	healthy int // the executor that does not end; -1: all end
}

// app starts an application without a program: NAME [master=NAME] [max=CORES] [cores=N] [memory=512m] [executors=N]
// [exit=CODE [after=D] [healthy=ID]]. Its executors are stand-ins; with exit= each ends after D, but for the healthy one.
func (r *Runner) app(c syntax.Command) error {
	if r.world.Simulated() == nil {
		return errWantsSim
	}
	if err := c.Need(1, "NAME [K=V ...]"); err != nil {
		return err
	}
	name := c.Args[0]
	if err := ids.Check("process", name); err != nil {
		return err
	}
	m, err := r.masters(c.Option("master", "M"))
	if err != nil {
		return err
	}
	desc, b, err := bareApp(name, c)
	if err != nil {
		return err
	}
	_, env, err := r.process(name, r.conf)
	if err != nil {
		return err
	}
	ear, err := env.Register("Listener", standin.Listener{})
	if err != nil {
		return err
	}
	// Before the client registers: its executors look their behaviour up by the driver's address, as soon as they start.
	desc.Command = standInCommand(rpcenv.Ref{Address: env.Address(), Name: name}.String())
	r.behaviours[env.Address()] = b
	client, err := env.Register(appclient.Name, appclient.New(appclient.Config{Masters: m, Description: desc, Listener: ear}))
	if err != nil {
		return err
	}
	r.observer.Disturb()
	r.nodes[name] = &node{name: name, Node: &clusternode.Node{Env: env, Ref: client}, bare: true}
	return nil
}

// bareApp is an application's demand, and the behaviour of its executors.
func bareApp(name string, c syntax.Command) (*deploy.ApplicationDescription, behaviour, error) {
	var errs []error
	number := func(key string) *int32 {
		text := c.Option(key, "")
		if text == "" {
			return nil
		}
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s=%s: want a number", key, text))
		}
		return proto.Int32(int32(n))
	}
	memory, err := conf.ParseMemoryMB(c.Option("memory", "512m"))
	errs = append(errs, err)
	desc := &deploy.ApplicationDescription{
		Name: name, MaxCores: number("max"), CoresPerExecutor: number("cores"), InitialExecutorLimit: number("executors"),
		MemoryPerExecutorMb: int32(memory),
	}
	b := behaviour{healthy: -1}
	if code := number("exit"); code != nil {
		b.exits, b.code = true, int(*code)
	}
	if id := number("healthy"); id != nil {
		b.healthy = int(*id)
	}
	b.after, err = time.ParseDuration(c.Option("after", "0s"))
	return desc, b, errors.Join(append(errs, err)...)
}

func standInCommand(driver string) *deploy.Command {
	return &deploy.Command{MainClass: standIn, Arguments: []string{
		"--driver-url", driver, "--executor-id", "{{EXECUTOR_ID}}", "--hostname", "{{HOSTNAME}}", "--cores", "{{CORES}}",
		"--app-id", "{{APP_ID}}", "--worker-url", "{{WORKER_URL}}",
	}}
}

// stand starts a stand-in.
func (r *Runner) stand(h rpcenv.Host, a executor.Args) error {
	driver, _, err := rpcenv.ParseURI(a.DriverURL)
	if err != nil {
		return err
	}
	env, err := rpcenv.New(h, rpcenv.Config{Name: "Exec" + a.ExecutorID, Conf: r.conf, Log: rpcenv.NoLog()})
	if err != nil {
		return err
	}
	// As a real executor, a stand-in ends with its Worker.
	if err := worker.Watch(env, a.WorkerURL); err != nil {
		return err
	}
	b := r.behaviours[driver]
	if b.exits && a.ExecutorID != strconv.Itoa(b.healthy) {
		h.After(b.after, func() { h.Exit(b.code) })
	}
	return nil
}

// isMissing reports whether err says that the process of a line does not run: it may have ended before.
func isMissing(err error) bool {
	return errors.Is(err, local.ErrNoSuchProcess) || errors.Is(err, sim.ErrNoHost)
}
