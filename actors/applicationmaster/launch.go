package applicationmaster

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/actors/applicationmaster/amrm"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// allocatedContainers takes the containers that the ResourceManager gave, and starts executors in those that are wanted.
func (m *ApplicationMaster) allocatedContainers(c *rpcenv.Context, given []*yarn.Container) {
	var containers []allocator.Container
	byID := map[string]*yarn.Container{}
	for _, p := range given {
		id, err := ids.ContainerFrom(p.GetId())
		// Ids and hosts go into commands and books: those of the ResourceManager are checked like any peer's.
		if err == nil && id.Attempt != m.cfg.Attempt {
			err = fmt.Errorf("%s is not of this attempt", id)
		}
		if at, ok := nodeAddress(p.GetNodeId()); err == nil && !ok {
			err = fmt.Errorf("%s: its node %.100q is no host and port", id, at)
		}
		if err != nil {
			c.Log().Warnf("Ignored a container: %v", err)
			continue
		}
		byID[id.String()] = p
		containers = append(containers, allocator.Container{
			ID: id.String(), Host: p.GetNodeId().GetHost(), Priority: p.GetPriority().GetPriority(),
			Resource: amrm.Resource{MemoryMB: p.GetResource().GetMemory(), VCores: p.GetResource().GetVirtualCores()},
		})
	}
	if len(containers) == 0 {
		return
	}
	launches, surplus := m.alloc.Allocated(containers)
	c.Log().Infof("Received %d containers from YARN, launching executors on %d of them.", len(containers), len(launches))
	for _, l := range launches {
		m.launches = append(m.launches, launch{l, byID[l.Container.ID]})
	}
	for _, s := range surplus {
		c.State("container", s.ContainerID, "", "RELEASED", s.Why)
	}
	m.launch(c)
}

// launch is an executor that is to be started, and the container that it gets.
type launch struct {
	allocator.Launch
	in *yarn.Container
}

// nodeAddress is where a node's NodeManager listens; false for a name that no host has: it goes into a command.
func nodeAddress(n *yarn.NodeId) (rpcenv.Address, bool) {
	at := rpcenv.Address{Host: n.GetHost(), Port: int(n.GetPort())}
	odd := strings.ContainsFunc(at.Host, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-:%", r))
	})
	return at, at.Host != "" && len(at.Host) < 256 && !odd && at.Port > 0 && at.Port < 1<<16
}

// launch starts the launches that wait, at most spark.yarn.containerLauncherMaxThreads at once. It mirrors ExecutorRunnable in the
// launcher's pool.
func (m *ApplicationMaster) launch(c *rpcenv.Context) {
	for len(m.launches) > 0 && m.launching < yarnContainerLauncherMaxThreads.Get(c.Conf()) {
		l := m.launches[0]
		m.launches = m.launches[1:]
		m.launching++
		m.start(c, l)
	}
}

// start starts an executor in its container, at the container's NodeManager.
func (m *ApplicationMaster) start(c *rpcenv.Context, l launch) {
	at, _ := nodeAddress(l.in.GetNodeId())
	c.Log().Infof("Launching container %s on host %s for executor with ID %s for ResourceProfile Id %d",
		l.Container.ID, l.Container.Host, l.ExecutorID, l.Profile.ID)
	c.State("container", l.Container.ID, "", "LAUNCHING", "executor "+l.ExecutorID)
	q := &yarn.StartContainersRequest{
		StartContainerRequest: []*yarn.StartContainerRequest{{
			ContainerLaunchContext: m.launchContext(c, l.Launch), ContainerToken: l.in.GetContainerToken(),
		}},
		NmToken: m.nmTokens[at],
	}
	rpcenv.Ask(c, c.Env().Ref(at, NodeName), q, func(r *yarn.StartContainersResponse, err error) {
		// The turn is free whatever the answer.
		m.launching--
		m.launched(c, l.Launch, startError(r, err))
		m.launch(c)
	})
}

// errRefusedByNode means that a NodeManager's answer names the container among those that failed.
var errRefusedByNode = errors.New("the NodeManager refused it")

// startError is why the node did not take a container; nil when it did.
func startError(r *yarn.StartContainersResponse, err error) error {
	switch {
	case err != nil:
		return err
	case len(r.GetFailedRequests()) > 0:
		x := r.GetFailedRequests()[0].GetException()
		return fmt.Errorf("%w: %s: %s", errRefusedByNode, x.GetClassName(), x.GetMessage())
	case len(r.GetSucceededRequests()) == 0:
		return fmt.Errorf("%w: its answer does not name the container", errRefusedByNode)
	}
	return nil
}

// serviceData makes the node's shuffle service serve an executor's map outputs. Its value is a secret in Spark, with spark.authenticate.
func serviceData(c *conf.Conf) []*yarn.StringBytesMap {
	if !shuffleservice.ShuffleServiceEnabled.Get(c) {
		return nil
	}
	return []*yarn.StringBytesMap{{Key: shuffleservice.ShuffleServiceName.Get(c)}}
}

// launched handles the outcome of a start.
func (m *ApplicationMaster) launched(c *rpcenv.Context, l allocator.Launch, err error) {
	how := allocator.Started
	switch {
	case err == nil:
		c.State("container", l.Container.ID, "LAUNCHING", "LAUNCHED", "executor "+l.ExecutorID)
	case errors.Is(err, rpcenv.ErrUnreachable):
		// The node may have started it after all. It is released, as a refused one is, but counts as no failure.
		how = allocator.Unreachable
	default:
		how = allocator.Refused
	}
	if err != nil {
		c.Log().Errorf("Failed to launch executor %s on container %s: %v", l.ExecutorID, l.Container.ID, err)
		c.State("container", l.Container.ID, "LAUNCHING", "RELEASED", err.Error())
	}
	m.alloc.Launched(l, how, c.Now())
}

// launchContext is how an executor is started.
func (m *ApplicationMaster) launchContext(c *rpcenv.Context, l allocator.Launch) *yarn.ContainerLaunchContext {
	env := []*yarn.StringStringMap{
		{Key: "GOGC", Value: "400"},
		{Key: "GOMAXPROCS", Value: strconv.Itoa(int(l.Profile.Cores))},
		{Key: "GOMEMLIMIT", Value: strconv.FormatInt(l.Profile.MemoryMB, 10) + "MiB"},
	}
	env = append(env, m.cfg.Environment...)
	for _, p := range c.Conf().Under(submit.ExecutorEnvPrefix) {
		env = append(env, &yarn.StringStringMap{Key: strings.TrimPrefix(p.Key, submit.ExecutorEnvPrefix), Value: p.Value})
	}
	return &yarn.ContainerLaunchContext{
		LocalResources: m.cfg.LocalResources, Environment: env, Tokens: m.cfg.Credentials, Command: m.command(l),
		ServiceData: serviceData(c.Conf()),
	}
}

// command is an executor's command line.
func (m *ApplicationMaster) command(l allocator.Launch) []string {
	return []string{
		"{{PWD}}/" + submit.AppFile, submit.ExecutorWord,
		"--driver-url", rpcenv.Ref{Address: m.driver.Address, Name: driver.Name}.String(),
		"--executor-id", l.ExecutorID,
		"--hostname", l.Container.Host,
		"--cores", strconv.Itoa(int(l.Profile.Cores)),
		"--app-id", m.cfg.Attempt.App.String(),
		"--resourceProfileId", strconv.Itoa(int(l.Profile.ID)),
		"1><LOG_DIR>/stdout", "2><LOG_DIR>/stderr",
	}
}
