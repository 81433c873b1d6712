package spark

import (
	"fmt"
	"strings"

	"github.com/coherer/coherer/cluster/web/pretty"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// workerStateJSON is a Worker's /json. It mirrors JsonProtocol.writeWorkerState. Secrets, by c, are not shown.
func workerStateJSON(s *deploy.WorkerStateResponse, c *conf.Conf) pretty.Object {
	runnerJSON := func(x *deploy.ExecutorRunner) pretty.Object { return runnerJSON(x, c) }
	return pretty.Object{
		{Name: "id", Value: s.GetWorkerId()},
		{Name: "masterurl", Value: s.GetMasterUrl()},
		{Name: "masterwebuiurl", Value: s.GetMasterWebUiUrl()},
		{Name: "cores", Value: s.GetCores()},
		{Name: "coresused", Value: s.GetCoresUsed()},
		{Name: "memory", Value: s.GetMemory()},
		{Name: "memoryused", Value: s.GetMemoryUsed()},
		{Name: "resources", Value: resourcesJSON(s.GetResources())},
		{Name: "resourcesused", Value: resourcesJSON(s.GetResourcesUsed())},
		{Name: "executors", Value: array(s.GetExecutors(), runnerJSON)},
		{Name: "finishedexecutors", Value: array(s.GetFinishedExecutors(), runnerJSON)},
	}
}

// runnerJSON mirrors JsonProtocol.writeExecutorRunner.
func runnerJSON(x *deploy.ExecutorRunner, c *conf.Conf) pretty.Object {
	return pretty.Object{
		{Name: "id", Value: x.GetExecId()},
		{Name: "memory", Value: x.GetMemory()},
		{Name: "resources", Value: resourcesJSON(x.GetResources())},
		{Name: "appid", Value: x.GetAppId()},
		{Name: "appdesc", Value: descriptionJSON(x.GetAppDesc(), c)},
	}
}

// descriptionJSON mirrors JsonProtocol.writeApplicationDescription: cores are the application's limit, 0 without one.
func descriptionJSON(d *deploy.ApplicationDescription, cf *conf.Conf) pretty.Object {
	each := array(d.GetResourcesPerExecutor(), requirementJSON)
	return pretty.Object{
		{Name: "name", Value: d.GetName()},
		{Name: "cores", Value: d.GetMaxCores()},
		{Name: "memoryperexecutor", Value: d.GetMemoryPerExecutorMb()},
		{Name: "resourcesperexecutor", Value: each},
		{Name: "memoryperslave", Value: d.GetMemoryPerExecutorMb()},
		{Name: "resourcesperslave", Value: each},
		{Name: "user", Value: d.GetUser()},
		{Name: "command", Value: commandText(d.GetCommand(), cf)},
	}
}

// commandText is a Command as Scala writes it, but for secrets.
func commandText(c *deploy.Command, cf *conf.Conf) string {
	// Spark shows all of it, passwords in variables and -D options too.
	var env []string
	for _, v := range c.GetEnvironment() {
		env = append(env, v.GetName()+" -> "+rpcenv.Redact(cf, v.GetName(), v.GetValue()))
	}
	var opts []string
	for _, o := range c.GetJavaOpts() {
		if name, value, ok := strings.Cut(o, "="); ok {
			o = name + "=" + rpcenv.Redact(cf, name, value)
		}
		opts = append(opts, o)
	}
	list := func(all []string) string { return strings.Join(all, ", ") }
	return fmt.Sprintf("Command(%s,List(%s),Map(%s),List(%s),List(%s),ArraySeq(%s))",
		c.GetMainClass(), list(c.GetArguments()), list(env), list(c.GetClassPathEntries()), list(c.GetLibraryPathEntries()), list(opts))
}
