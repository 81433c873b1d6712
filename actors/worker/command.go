package worker

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// checkLaunch reports what is wrong with an order.
func checkLaunch(m *deploy.LaunchExecutor) error {
	if err := ids.Check("application", m.GetAppId()); err != nil {
		return err
	}
	switch {
	case m.ExecId == nil || m.GetExecId() < 0:
		return fmt.Errorf("the executor id %d is not valid: want 0 or more", m.GetExecId())
	case m.GetCores() < 1 || m.GetMemory() < 0:
		return fmt.Errorf("an executor with %d cores and %d MiB cannot run", m.GetCores(), m.GetMemory())
	case m.GetAppDesc().GetCommand().GetMainClass() == "":
		return fmt.Errorf("the application's description names no main class to start")
	}
	return nil
}

// command is what starts an executor. It mirrors ExecutorRunner's substituteVariables and CommandUtils.
func (w *Worker) command(m *deploy.LaunchExecutor, made Prepared) rpcenv.Command {
	desc := m.GetAppDesc().GetCommand()
	id := strconv.Itoa(int(m.GetExecId()))
	cmd := rpcenv.Command{Class: desc.GetMainClass(), Args: w.substitute(m, id, desc.GetArguments()), Dir: w.executorDir(m)}
	if made.ResourcesFile != "" {
		cmd.Args = append(cmd.Args, "--resourcesFile", made.ResourcesFile)
	}
	for _, v := range desc.GetEnvironment() {
		cmd.Env = setenv(cmd.Env, v.GetName(), v.GetValue())
	}
	// Behind the application's variables, which must not replace these.
	cmd.Env = setenv(cmd.Env, "SPARK_EXECUTOR_MEMORY", fmt.Sprintf("%dm", m.GetMemory()))
	cmd.Env = setenv(cmd.Env, "SPARK_LAUNCH_WITH_SCALA", "0")
	if len(made.LocalDirs) > 0 {
		cmd.Env = setenv(cmd.Env, "SPARK_EXECUTOR_DIRS", strings.Join(made.LocalDirs, string(filepath.ListSeparator)))
	}
	if w.pagesURL != "" {
		page := fmt.Sprintf("%s/logPage/?appId=%s&executorId=%s&logType=", w.pagesURL, url.QueryEscape(m.GetAppId()), id)
		cmd.Env = setenv(cmd.Env, "SPARK_LOG_URL_STDERR", page+"stderr")
		cmd.Env = setenv(cmd.Env, "SPARK_LOG_URL_STDOUT", page+"stdout")
	}
	return cmd
}

// findPages says where people find this Worker's pages: by the Master's if that is their reverse proxy.
func (w *Worker) findPages(c *rpcenv.Context) string {
	if w.cfg.WebUIURL == "" || !uiReverseProxy.Get(c.Conf()) {
		return w.cfg.WebUIURL
	}
	return strings.TrimSuffix(uiReverseProxyURL.Get(c.Conf()), "/") + "/proxy/" + w.id
}

// executorDir is WORKDIR/APP/EXECUTOR; empty without a work directory.
func (w *Worker) executorDir(m *deploy.LaunchExecutor) string {
	if w.cfg.WorkDir == "" {
		return ""
	}
	return filepath.Join(w.cfg.WorkDir, m.GetAppId(), strconv.Itoa(int(m.GetExecId())))
}

// substitute fills in what only the Worker knows. As in Spark an argument is a placeholder as a whole or not at all.
func (w *Worker) substitute(m *deploy.LaunchExecutor, id string, args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		switch a {
		case "{{WORKER_URL}}":
			a = rpcenv.Ref{Address: w.addr, Name: Name}.String()
		case "{{EXECUTOR_ID}}":
			a = id
		case "{{HOSTNAME}}":
			a = w.addr.Host
		case "{{CORES}}":
			a = strconv.Itoa(int(m.GetCores()))
		case "{{APP_ID}}":
			a = m.GetAppId()
		case "{{RESOURCE_PROFILE_ID}}":
			a = strconv.Itoa(int(m.GetRpId()))
		}
		out[i] = a
	}
	return out
}

// setenv sets a variable in a list of NAME=value, once.
func setenv(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
	return append(env, name+"="+value)
}
