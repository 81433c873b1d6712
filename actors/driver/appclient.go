package driver

import (
	"strings"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// appClientEvent handles the messages of AppClient, whose listener in Spark is StandaloneSchedulerBackend. It returns false
// for all others.
func (s *Scheduler) appClientEvent(c *rpcenv.Context, m rpcenv.Message) bool {
	switch m := m.(type) {
	case appclient.Connected:
		s.connected(c, m)
	case appclient.Disconnected:
		s.disconnected(c)
	case appclient.Forgotten:
		s.applicationForgotten(c, m)
	case appclient.Dead:
		s.applicationDead(c, m)
	case appclient.ExecutorAdded:
		s.executorAdded(c, m)
	case appclient.ExecutorRemoved:
		s.executorRemoved(c, m)
	case appclient.ExecutorDecommissioned:
		s.executorDecommissioned(c, m)
	case appclient.WorkerRemoved:
		s.workerRemoved(c, m)
	default:
		return false
	}
	return true
}

func (s *Scheduler) connected(c *rpcenv.Context, m appclient.Connected) {
	s.appID = m.AppID
	c.SetLog(c.Log().WithField("app", m.AppID))
	c.Log().Infof("Connected to Spark cluster with app ID %s", m.AppID)
	start := event.ApplicationStart{AppID: m.AppID, Name: s.cfg.AppName}
	s.listen(c, start)
	s.tellAllocation(c, start)
	s.toBus(c, start)
}

func (s *Scheduler) disconnected(c *rpcenv.Context) {
	c.Log().Warn("Disconnected from Spark cluster! Waiting for reconnection...")
}

func (s *Scheduler) executorAdded(c *rpcenv.Context, m appclient.ExecutorAdded) {
	c.Log().Infof("Granted executor ID %s on hostPort %s with %d core(s), %d MiB RAM", m.FullID, m.HostPort, m.Cores, m.MemoryMB)
}

// workerRemoved only logs: the Master reports each executor of the worker before it. See the package's differences.
func (s *Scheduler) workerRemoved(c *rpcenv.Context, m appclient.WorkerRemoved) {
	c.Log().Infof("Worker %s on %s removed: %s", m.ID, m.Host, m.Message)
	c.Send(s.dag, event.WorkerRemoved{ID: m.ID, Host: m.Host, Message: m.Message})
}

func (s *Scheduler) applicationDead(c *rpcenv.Context, m appclient.Dead) {
	// The program's own end of the application: Stop has failed its jobs before.
	if s.stopping {
		return
	}
	reason := m.Reason
	// FAILED means that too many executors ended too early. The Master does not say why they ended.
	if strings.HasSuffix(reason, failedState) && s.lastEnd != "" {
		reason += ": the last executor to end was " + s.lastEnd
	}
	c.Send(s.dag, dag.ApplicationDead{Reason: reason, Line: "Application has been killed. Reason: " + reason})
}

// failedState ends the Master's reason when it gave the application up for its executors' ends.
const failedState = ": FAILED"

func (s *Scheduler) executorRemoved(c *rpcenv.Context, m appclient.ExecutorRemoved) {
	c.Log().Infof("Executor %s removed: %s", m.FullID, m.Message)
	id := executorID(m.FullID)
	// An executor that never registered counts, too: where each one fails at its start, no other end explains the failure.
	if e := s.executors.byID[id]; e == nil || !e.removing {
		s.lastEnd = id + ": " + m.Message
	}
	s.removeExecutor(c, id, lossOf(m.Message, m.ExitStatus, m.WorkerHost != nil))
}

// executorID is the executor's part of APP/ID.
func executorID(fullID string) string {
	_, id, _ := strings.Cut(fullID, "/")
	return id
}

// endExecutors asks the cluster to end executors. It only logs a failure: the driver gives them up all the same.
func (s *Scheduler) endExecutors(c *rpcenv.Context, ids []string) {
	s.askKill(c, ids, func(_ *rpc.Bool, err error) {
		if err != nil {
			c.Log().WithError(err).Warnf("The cluster did not kill executors %v", ids)
		}
	})
}

// description is what the application asks of the Master. The placeholders are filled in by the Worker.
func (c Config) description(env *rpcenv.Env) *deploy.ApplicationDescription {
	s := env.Conf()
	d := &deploy.ApplicationDescription{
		Name: c.AppName, AppUiUrl: c.WebUIURL, User: c.User, MemoryPerExecutorMb: int32(submit.ExecutorMemory.Get(s)),
		Command: &deploy.Command{
			MainClass: "org.apache.spark.executor.CoarseGrainedExecutorBackend",
			Arguments: []string{
				"--driver-url", env.Ref(env.Address(), Name).String(),
				"--executor-id", "{{EXECUTOR_ID}}",
				"--hostname", "{{HOSTNAME}}",
				"--cores", "{{CORES}}",
				"--app-id", "{{APP_ID}}",
				"--worker-url", "{{WORKER_URL}}",
				"--resourceProfileId", "{{RESOURCE_PROFILE_ID}}",
			},
			Environment: c.environment(s),
		},
	}
	if n, set := submit.CoresMax.Find(s); set {
		d.MaxCores = new(int32(n))
	}
	if n, set := submit.ExecutorCores.Find(s); set {
		d.CoresPerExecutor = new(int32(n))
	}
	if n := submit.TaskCPUs.Get(s); n > 1 { // absent means 1
		d.CpusPerTask = new(int32(n))
	}
	if allocation.Enabled(s) {
		d.InitialExecutorLimit = new(int32(0)) // nothing before the first RequestExecutors
	}
	return d
}

// environment is Config's, with those set by spark.executorEnv.NAME after it.
func (c Config) environment(s *conf.Conf) []*deploy.EnvironmentVariable {
	var out []*deploy.EnvironmentVariable
	if c.User != "" {
		out = append(out, &deploy.EnvironmentVariable{Name: "SPARK_USER", Value: c.User})
	}
	out = append(out, c.Environment...)
	for _, p := range s.Under(submit.ExecutorEnvPrefix) {
		out = append(out, &deploy.EnvironmentVariable{Name: strings.TrimPrefix(p.Key, submit.ExecutorEnvPrefix), Value: p.Value})
	}
	return out
}

// applicationForgotten notes why no task will start; without a reason a Master knows the application after all.
func (s *Scheduler) applicationForgotten(c *rpcenv.Context, m appclient.Forgotten) {
	s.forgotten = m.Reason
	if m.Reason != "" {
		c.Log().Warn(m.Reason)
	}
}
