// Command ownpolicy places the executors of one application by Spark's two policies and by one of our own, each in a
// simulated cluster of two racks, and prints where they went.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

// hosts are the machines of the cluster, with 4 cores each.
var hosts = []string{"rackA-1", "rackA-2", "rackA-3", "rackB-1"}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ownpolicy:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	for _, p := range []struct {
		name string
		by   master.Placement
	}{{"SpreadOut", master.SpreadOut{}}, {"Consolidate", master.Consolidate{}}, {"racks", racks{}}} {
		got, err := place(p.by)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-12s %s\n", p.name, got)
	}
	return nil
}

// place runs a cluster in which an application wants four executors of one core, and says how many each host got.
func place(by master.Placement) (string, error) {
	w := sim.New(1, 0)
	defer w.Close()
	env := func(name, ip string) (*rpcenv.Env, error) {
		return rpcenv.New(w.Host(name, ip), rpcenv.Config{
			Name: name, Listen: rpcenv.Address{Host: ip, Port: 7077}, Log: rpcenv.NoLog(),
		})
	}
	e, err := env("Master", "10.0.0.1")
	if err != nil {
		return "", err
	}
	m, err := e.Register(master.Name, master.New(master.Config{Placement: by}))
	if err != nil {
		return "", err
	}
	w.Settle() // a Master is ALIVE when it has started
	var machines []*machine
	for i, host := range hosts {
		e, err := env(host, fmt.Sprintf("10.0.1.%d", i+1))
		if err != nil {
			return "", err
		}
		machines = append(machines, &machine{master: m, host: host})
		if _, err := e.Register("Worker", machines[i]); err != nil {
			return "", err
		}
	}
	w.Settle() // all workers have registered
	// The application last: the Master places its executors at once, and is to choose among all Workers.
	if e, err = env("Driver", "10.0.2.1"); err != nil {
		return "", err
	}
	if _, err := e.Register("AppClient", &client{master: m}); err != nil {
		return "", err
	}
	w.Settle()
	var got []string
	for _, x := range machines {
		got = append(got, fmt.Sprintf("%s: %d", x.host, x.executors))
	}
	return strings.Join(got, ", "), nil
}

// machine is a Worker that only counts the executors that the Master orders.
type machine struct {
	master    rpcenv.Ref
	host      string
	executors int
}

func (x *machine) OnStart(c *rpcenv.Context) {
	c.Send(x.master, &deploy.RegisterWorker{
		Id: "worker-" + x.host, Host: x.host, Port: 7077, Worker: c.Self().Proto(), Cores: 4, Memory: 4096,
	})
}

func (x *machine) Receive(_ *rpcenv.Context, m rpcenv.Message) {
	if _, ok := m.(*deploy.LaunchExecutor); ok {
		x.executors++
	}
}

// client is an application that wants four executors.
type client struct{ master rpcenv.Ref }

func (x *client) OnStart(c *rpcenv.Context) {
	c.Send(x.master, &deploy.RegisterApplication{
		Driver: c.Self().Proto(),
		AppDescription: &deploy.ApplicationDescription{
			Name: "ownpolicy", MaxCores: proto.Int32(4), CoresPerExecutor: proto.Int32(1), MemoryPerExecutorMb: 1024,
		},
	})
}

func (*client) Receive(*rpcenv.Context, rpcenv.Message) {}
