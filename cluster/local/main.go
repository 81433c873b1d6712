package local

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/builtin"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// roleVar makes the program of a test a process of its cluster. It is a role as JSON, of the daemon; a Worker's executors and
// drivers inherit it, and the first argument says what they are.
const roleVar = "COHERER_LOCAL_ROLE"

// role configures a daemon of a test's cluster.
type role struct {
	Conf            map[string]string
	Master          string // the Worker's, as spark://HOST:PORT
	Cores, MemoryMB int    // what the Worker offers
	WorkDir         string // the Worker's
}

// entered is whether this process is a test that has called Main: the processes that it starts then call it too.
var entered bool

// errNotEntered says what is missing, before this program starts itself.
var errNotEntered = errors.New("local: the kind Processes starts the program of this test again, as Master, Worker and executors, " +
	"and that would run the tests again: write in a _test.go file of this package: func TestMain(m *testing.M) { local.Main(m) }")

// Main is what TestMain of a package calls first, if tests there start clusters of the kind [Processes]. In a process of such a
// cluster it is the daemon, executor or driver; else it lets m run the tests. It ends the process. To do more around the tests,
// give it an m of your own with that Run.
func Main(m interface{ Run() int }) {
	text, ok := os.LookupEnv(roleVar)
	if ok {
		os.Exit(exitCode(serve(text, os.Args[1:])))
	}
	entered = true
	os.Exit(m.Run())
}

// serve is a process of a cluster, until it ends.
func serve(text string, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("the variable %s is set by cluster/local for the processes that a test starts; unset it", roleVar)
	}
	switch word, args := args[0], args[1:]; word {
	case "executor":
		return node.Launch(context.Background(), args)
	case "driver":
		return drive(args)
	default:
		return serveDaemon(word, text, args)
	}
}

// serveDaemon is a Master or a Worker.
func serveDaemon(word, text string, args []string) error {
	var r role
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return fmt.Errorf("the variable %s: %w", roleVar, err)
	}
	flags := flag.NewFlagSet(word, flag.ContinueOnError)
	readyFD := flags.Int("ready-fd", 0, "descriptor that gets the ready line")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c, err := conf.New(r.Conf, known.All())
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	here := rpcenv.Address{Host: loopback} // with any free port: tests of several packages run at once
	opts := node.Options{Role: word, Listen: here, Gossip: here, Pages: here, Conf: c, Log: app.NewLog(logrus.InfoLevel), ReadyFD: *readyFD}
	if word == "master" {
		return node.RunMaster(ctx, opts)
	}
	masters, err := rpcenv.ParseMasterURL(r.Master)
	if err != nil {
		return err
	}
	return node.RunWorker(ctx, node.WorkerOptions{
		Options: opts, Masters: masters, Cores: r.Cores, MemoryMB: r.MemoryMB, WorkDir: r.WorkDir, Launched: reporter(os.Stdout),
	})
}

// drive is a driver in cluster mode: of a built-in program, as in other Worlds.
func drive(args []string) error {
	if len(args) == 0 || builtin.Programs[args[0]] == nil {
		return fmt.Errorf("the arguments %q name no built-in program", args)
	}
	os.Args = args // app.Main takes the program's arguments from behind its name
	app.Main(func(ctx context.Context, a *app.App, own []string) error {
		return builtin.Programs[args[0]](ctx, a, own, os.Stdout)
	})
	return nil
}

// exitCode is that of a process of a cluster. A daemon with an exit code of its own has logged why.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if exit, ok := errors.AsType[*node.ExitError](err); ok {
		return exit.Code
	}
	fmt.Fprintln(os.Stderr, "error:", err)
	if errors.Is(err, executor.ErrUnreachable) {
		return executor.ExitUnreachable
	}
	return 1
}
