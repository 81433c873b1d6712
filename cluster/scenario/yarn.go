package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/cluster/builtin"
	"github.com/coherer/coherer/cluster/local"
	clusternode "github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// onYARN is the World's part for YARN, made on first use.
func (r *Runner) onYARN() *local.YARN {
	if r.yarn == nil {
		programs := maps.Clone(builtin.Programs)
		maps.Copy(programs, builtin.Studies)
		r.yarn = local.NewYARN(r.world, programs)
		r.observer.YARN(r.yarn)
		if r.everybody {
			r.yarn.Ring = r.ring
		}
	}
	return r.yarn
}

// startResourceManager starts a ResourceManager; with recovery=FILESYSTEM it has records, as a Master.
func (r *Runner) startResourceManager(h rpcenv.Host, env rpcenv.Config, c syntax.Command) (*clusternode.Node, error) {
	kept, err := r.masterConfig(env.Name, c)
	if err != nil {
		return nil, err
	}
	cfg := resourcemanager.Config{Store: kept.Store}
	if text := c.Option("queues", ""); text != "" {
		if cfg.Allocations, err = parseQueues(text); err != nil {
			return nil, err
		}
	}
	n, err := r.onYARN().ResourceManager(h, env, cfg)
	if err == nil {
		r.managers[env.Name] = true
	}
	return n, err
}

func (r *Runner) startNodeManager(h rpcenv.Host, env rpcenv.Config, c syntax.Command) (*clusternode.Node, error) {
	rm, err := r.find(c.Option("rm", "RM"))
	if err != nil {
		return nil, err
	}
	cfg := nodemanager.Config{ResourceManager: rm.Env.Address(), Rack: c.Option("rack", "")}
	if cfg.VCores, err = strconv.Atoi(c.Option("cores", "1")); err != nil {
		return nil, fmt.Errorf("cores: %w", err)
	}
	memory, err := conf.ParseMemoryMB(c.Option("memory", "8g"))
	if err != nil {
		return nil, err
	}
	cfg.MemoryMB = int64(memory)
	return r.onYARN().NodeManager(h, env, cfg)
}

// submitToYARN starts a process NAMEClient that submits a program in cluster mode.
func (r *Runner) submitToYARN(c syntax.Command, rm *node) error {
	settings, err := r.yarnSettings(c, rm)
	if err != nil {
		return err
	}
	return r.onYARN().Submit(c.Args[0]+"Client", c.Args[0], c.Args[1], c.Args[2:], rm.Env.Address(), settings)
}

// yarnSettings are those of an application on YARN.
func (r *Runner) yarnSettings(c syntax.Command, rm *node) (*conf.Conf, error) {
	own := map[string]string{
		submit.AppName.Key(): c.Args[0], submit.MasterURL.Key(): "yarn",
		conf.HadoopPrefix + rmproxy.ResourceManagerAddress.Key(): rm.Env.Address().String(),
	}
	maps.Copy(own, settingsIn(c))
	return r.conf.With(own)
}

// application ends an application on YARN, or asks for it: kill|status N NAME [master=RM].
func (r *Runner) application(c syntax.Command) error {
	if err := c.Need(3, "kill|status N NAME [master=RM]"); err != nil {
		return err
	}
	rm, err := r.find(c.Option("master", "RM"))
	if err != nil {
		return err
	}
	// The id is the ResourceManager's: the trace has it, since a client asks for its application's report.
	id := ""
	for _, e := range r.Trace().Entries {
		var q struct {
			ApplicationID struct {
				ID               json.Number `json:"id"`
				ClusterTimestamp json.Number `json:"clusterTimestamp"`
			} `json:"applicationId"`
		}
		if e.Type != "GetApplicationReportRequest" || json.Unmarshal([]byte(e.Body), &q) != nil || q.ApplicationID.ID.String() != c.Args[1] {
			continue
		}
		n, wrong := q.ApplicationID.ID.Int64()
		at, err := q.ApplicationID.ClusterTimestamp.Int64()
		if err := errors.Join(wrong, err); err != nil {
			return err
		}
		id = ids.Application{Timestamp: at, ID: int32(n)}.String()
	}
	if id == "" {
		return fmt.Errorf("no application %s was submitted: they count from 1", c.Args[1])
	}
	cfg := yarnclient.Config{ResourceManager: rm.Env.Address()}
	switch c.Args[0] {
	case "kill":
		cfg.Kill = id
	case "status":
		cfg.Status = id
	default:
		return fmt.Errorf("%s: want kill or status", c.Args[0])
	}
	return local.StartClient(r.world, c.Args[2], r.conf, yarnclient.Name, yarnclient.New(cfg))
}

// queues is a fair-scheduler.xml.
type queues string

// parseQueues makes one of (NAME:WEIGHT,...): a queue that has less than half its share for five seconds gets containers of others.
func parseQueues(text string) (queues, error) {
	var b strings.Builder
	b.WriteString("<allocations><defaultFairSharePreemptionTimeout>5</defaultFairSharePreemptionTimeout>")
	for q := range strings.SplitSeq(strings.Trim(text, "()"), ",") {
		name, weight, ok := strings.Cut(q, ":")
		n, err := strconv.ParseFloat(weight, 32)
		if !ok || err != nil || n <= 0 || !ids.Plain(name) {
			return "", fmt.Errorf("queues=%s: want (NAME:WEIGHT,...)", text)
		}
		fmt.Fprintf(&b, "<queue name=%q><weight>%g</weight></queue>", name, n)
	}
	b.WriteString("</allocations>")
	return queues(b.String()), nil
}

// Read is the whole file, which never changes.
func (q queues) Read(*rpcenv.Blocking) ([]byte, time.Time, error) { return []byte(q), start, nil }
