package script

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
)

// Processes are those that the endpoints of a World start: a Subject's verbs end them and print how they do.
type Processes struct {
	names []string // in the order of their beginning; what was started has its number
	hosts map[string]*sim.Host
	begin map[string]string // the command
	shown map[string]string // what Print printed
}

// ProcessesOf are the process of env and all that are started in w by commands of these classes.
func ProcessesOf(w *rpctest.World, env *rpcenv.Env, classes ...string) *Processes {
	p := &Processes{
		names: []string{env.Name()}, hosts: map[string]*sim.Host{env.Name(): w.Find(env.Name())},
		begin: map[string]string{}, shown: map[string]string{},
	}
	for _, class := range classes {
		w.Roles[class] = func(h *sim.Host, cmd rpcenv.Command) error {
			name := strconv.Itoa(len(p.names) - 1)
			p.names, p.hosts[name] = append(p.names, name), h
			p.begin[name] = fmt.Sprintf(" %s %q in %q", cmd.Class, cmd.Args, cmd.Dir)
			return nil
		}
	}
	return p
}

// Exit is a verb that ends a process that was started: NUMBER CODE.
func (p *Processes) Exit(args string) (string, error) {
	number, code, _ := strings.Cut(args, " ")
	n, err := strconv.Atoi(code)
	if h := p.hosts[number]; h != nil && err == nil {
		h.Exit(n)
		return "", nil
	}
	return "", fmt.Errorf("%s: want the number of a process and its exit code", args)
}

// Print is a verb that prints the processes that have changed since it was used last.
func (p *Processes) Print(string) (string, error) {
	var b strings.Builder
	for _, name := range p.names {
		what := "runs" + p.begin[name]
		if code, ended := p.hosts[name].Exited(); ended {
			what = fmt.Sprint("ended with exit code ", code)
		}
		if p.shown[name] != what {
			fmt.Fprintf(&b, "process %s %s\n", name, what)
			p.shown[name] = what
		}
	}
	return cmp.Or(b.String(), "no process has changed"), nil
}
