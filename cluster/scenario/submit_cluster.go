package scenario

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// submitToCluster submits a built-in program whose driver runs on a Worker, as a process called NAME: the process NAMEClient
// does that.
func (r *Runner) submitToCluster(c syntax.Command) error {
	name := c.Args[0]
	if rm := c.Option("master", "M"); r.managers[rm] {
		m, err := r.find(rm)
		if err != nil {
			return err
		}
		return r.submitToYARN(c, m)
	}
	masters, err := r.masters(c.Option("master", "M"))
	if err != nil {
		return err
	}
	// All settings go with the submission: the driver's process, started by a Worker, has none of the script's otherwise.
	settings := map[string]string{submit.MasterURL.Key(): masterURL(masters)}
	for _, p := range r.conf.Pairs() {
		settings[p.Key] = p.Value
	}
	maps.Copy(settings, settingsIn(c))
	d, err := local.ClusterDriver(name, c.Args[1], c.Args[2:], settings)
	if err != nil {
		return err
	}
	d.Supervise = c.Option("supervise", "") == "true"
	cores, err := strconv.ParseInt(c.Option("cores", "1"), 10, 32)
	if err != nil {
		return fmt.Errorf("cores: %w", err)
	}
	d.Cores = int(cores)
	if d.MemoryMB, err = conf.ParseMemoryMB(c.Option("memory", "512m")); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	return r.callMasters(name+"Client", masters, settings, driverclient.Config{Launch: d.Describe()})
}

// driver ends the N-th driver in cluster mode, or asks for it.
func (r *Runner) driver(c syntax.Command) error {
	if err := c.Need(3, "kill|status N NAME [master=M]"); err != nil {
		return err
	}
	masters, err := r.masters(c.Option("master", "M"))
	if err != nil {
		return err
	}
	// The ids are the Master's: the trace has them, and a script counts.
	id := ""
	for _, e := range r.Trace().Entries {
		if got := field(e.Body, "driverId"); e.Type == "LaunchDriver" && strings.HasSuffix(got, fmt.Sprintf("-%04s", c.Args[1])) {
			id = got
		}
	}
	if id == "" {
		return fmt.Errorf("no driver %s was launched: they count from 0", c.Args[1])
	}
	var cfg driverclient.Config
	switch c.Args[0] {
	case "kill":
		cfg.Kill = id
	case "status":
		cfg.Status = id
	default:
		return fmt.Errorf("%s: want kill or status", c.Args[0])
	}
	return r.callMasters(c.Args[2], masters, nil, cfg)
}

// masterURL is spark://HOST:PORT[,HOST:PORT...] of Masters.
func masterURL(masters []rpcenv.Address) string {
	all := make([]string, 0, len(masters))
	for _, m := range masters {
		all = append(all, m.String())
	}
	return "spark://" + strings.Join(all, ",")
}

// callMasters starts a client of the Masters.
func (r *Runner) callMasters(name string, masters []rpcenv.Address, settings map[string]string, cfg driverclient.Config) error {
	own := map[string]string{rpcenv.RPCAskTimeout.Key(): "10s"} // as coherer submit, and Spark's client
	maps.Copy(own, settings)
	c, err := r.conf.With(own)
	if err != nil {
		return err
	}
	cfg.Masters = masters
	return local.StartClient(r.world, name, c, driverclient.Name, driverclient.New(cfg))
}
