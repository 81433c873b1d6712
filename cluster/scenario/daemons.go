package scenario

import (
	"fmt"
	"strconv"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/gossip/swim"
	"github.com/coherer/coherer/cluster/local"
	clusternode "github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/cluster/recovery"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// node is a daemon or a program that the script started.
type node struct {
	name string
	*clusternode.Node
	began  syntax.Command // how it was started
	member *swim.Member   // nil: it is none
	bare   bool           // an application without a program
}

// start starts a daemon.
func (r *Runner) start(c syntax.Command) error {
	if err := c.Need(2, "master|worker|resourcemanager|nodemanager NAME [K=V ...]"); err != nil {
		return err
	}
	name := c.Args[1]
	if err := ids.Check("process", name); err != nil { // directories get its name
		return err
	}
	if old := r.nodes[name]; old != nil && r.runs(old) {
		return fmt.Errorf("%s runs", name)
	}
	env := rpcenv.Config{Name: name, Conf: r.conf, Log: rpcenv.NoLog()}
	// A Master of a group gets its process and address from the group, whose other members know it already.
	var h rpcenv.Host
	if c.Args[0] != "master" || c.Option("recovery", "") != "RAFT" {
		h, env.Listen.Host = r.world.Process(name)
		env.Listen.Port = r.port(name, c.Args[0])
	}
	var n *clusternode.Node
	var err error
	switch c.Args[0] {
	case "master":
		if c.Option("recovery", "") == "RAFT" {
			h, n, err = r.startElected(name, env, c)
			break
		}
		cfg, wrong := r.masterConfig(name, c)
		if wrong != nil {
			return wrong
		}
		n, err = clusternode.Master(h, env, cfg)
	case "worker":
		n, err = r.startWorker(h, env, c)
	case "resourcemanager":
		n, err = r.startResourceManager(h, env, c)
	case "nodemanager":
		n, err = r.startNodeManager(h, env, c)
	default:
		return fmt.Errorf("%s: want master, worker, resourcemanager or nodemanager", c.Args[0])
	}
	if err != nil {
		return err
	}
	started := &node{name: name, Node: n, began: c}
	if r.nodes[name] == nil {
		r.started = append(r.started, name)
	}
	r.nodes[name] = started
	r.observer.Daemon(h, n)
	return r.join(started)
}

// process starts a process without a daemon.
func (r *Runner) process(name string, c *conf.Conf) (rpcenv.Host, *rpcenv.Env, error) {
	h, ip := r.world.Process(name)
	env, err := rpcenv.New(h, rpcenv.Config{Name: name, Listen: rpcenv.Address{Host: ip}, Conf: c, Log: rpcenv.NoLog()})
	return h, env, err
}

// masterConfig is a Master's: with recovery=FILESYSTEM it has records, which outlive it. They are in memory: the messages do not
// depend on the disk.
func (r *Runner) masterConfig(name string, c syntax.Command) (master.Config, error) {
	switch mode := c.Option("recovery", "NONE"); mode {
	case "NONE":
		return r.shared(name, c), nil
	case "FILESYSTEM":
		if r.records[name] == nil {
			r.records[name] = &recovery.Memory{}
		}
		return master.Config{Store: r.records[name]}, nil
	default:
		return master.Config{}, fmt.Errorf("recovery=%s: want NONE, FILESYSTEM or RAFT", mode)
	}
}

// port keeps the port of a daemon that is started again.
func (r *Runner) port(name, role string) int {
	if old := r.nodes[name]; old != nil {
		return old.Env.Address().Port
	}
	if role == "master" && r.world.Kind() == local.Sim {
		return 7077
	}
	if role == "resourcemanager" && r.world.Kind() == local.Sim {
		return rmproxy.ResourceManagerPort
	}
	return 0
}

func (r *Runner) startWorker(h rpcenv.Host, env rpcenv.Config, c syntax.Command) (*clusternode.Node, error) {
	cfg := worker.Config{Membership: c.Option("membership", "") == "true"}
	if name := c.Option("master", "M"); name != "none" {
		at, err := r.masters(name)
		if err != nil {
			return nil, err
		}
		cfg.Masters = at
	}
	cores, err := strconv.Atoi(c.Option("cores", "1"))
	if err != nil {
		return nil, fmt.Errorf("cores: %w", err)
	}
	memory, err := conf.ParseMemoryMB(c.Option("memory", "1g"))
	if err != nil {
		return nil, err
	}
	cfg.Cores, cfg.MemoryMB, cfg.ShuffleOutputs = cores, memory, local.ShuffleOutputs(r.world, h, env.Listen.Host, env.Conf)
	return clusternode.Worker(h, env, cfg)
}

func (r *Runner) find(name string) (*node, error) {
	n := r.nodes[name]
	if n == nil {
		return nil, fmt.Errorf("%w: the script started nothing called %s", local.ErrNoSuchProcess, name)
	}
	return n, nil
}

// only is the node that a line names, and nothing else.
func (r *Runner) only(c syntax.Command) (*node, error) {
	if err := c.Need(1, "NAME"); err != nil {
		return nil, err
	}
	return r.find(c.Args[0])
}

// stop ends a daemon in good order.
func (r *Runner) stop(c syntax.Command) error {
	n, err := r.only(c)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	n.Env.OnDone(func() {
		close(done)
		r.world.Wake()
	})
	r.leave(n) // while the Env still runs, as a real daemon
	n.Env.Shutdown()
	if err := r.world.Run(func() bool { return closed(done) }, patience); err != nil {
		return err
	}
	return r.world.Settle(patience)
}

// kill ends a process as kill -9 does.
func (r *Runner) kill(c syntax.Command) error {
	if err := c.Need(1, "NAME"); err != nil {
		return err
	}
	r.observer.Disturb()
	if err := r.world.Kill(c.Args[0]); err != nil {
		return err
	}
	return r.world.Settle(patience)
}

// exit prints an exit code.
func (r *Runner) exit(c syntax.Command) error {
	if err := c.Need(1, "NAME"); err != nil {
		return err
	}
	if code, ended := r.world.Exited(c.Args[0]); ended {
		fmt.Fprintf(&r.out, "%s exited %d\n", c.Args[0], code)
		return nil
	}
	fmt.Fprintf(&r.out, "%s runs\n", c.Args[0])
	return nil
}
