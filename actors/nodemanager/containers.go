package nodemanager

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/actors/nodemanager/machine"
	"github.com/coherer/coherer/rpcenv"
)

// containerEvent gives an event to a container's machine, and carries out its actions. It mirrors ContainerImpl.handle.
func (n *ContainerManager) containerEvent(c *rpcenv.Context, x *container, e machine.ContainerEvent) {
	next, actions, err := x.Next(e)
	if err != nil {
		c.Log().WithError(err).Errorf("Can't handle this event at current state: container %s", x.id)
		return
	}
	from := x.State
	// Before the actions: some bring the next event of the same container.
	x.Container = next
	if from != next.State {
		c.Log().Infof("Container %s transitioned from %s to %s", x.id, from, next.State)
		c.State("container", x.id.String(), from.String(), next.State.String(), e.Kind.String())
	}
	for _, action := range actions {
		n.doForContainer(c, x, action)
	}
}

func (n *ContainerManager) doForContainer(c *rpcenv.Context, x *container, action machine.Action) {
	switch action {
	case machine.RequestResources:
		n.requestResources(c, x)
	case machine.Launch:
		n.launch(c, x)
	case machine.Monitor: // monitorContainers looks at all containers that run
	case machine.KillProcess:
		n.killProcess(c, x)
	case machine.CleanUpResources:
		n.cleanUpContainer(c, x)
	case machine.FinishContainer:
		if !x.refused {
			n.applicationEvent(c, x.app, machine.ApplicationContainerFinished)
		}
		// The end frees room: the ResourceManager and the ApplicationMaster hear of it before the next period.
		n.beatNow(c)
		n.checkShutdown(c)
	}
}

// launch starts a container's process: at once, or, when it failed before, after its owner's wait.
func (n *ContainerManager) launch(c *rpcenv.Context, x *container) {
	if x.State == machine.Relaunching {
		x.timer = c.After(x.retryWait, relaunchContainer{id: x.id})
		return
	}
	n.prepare(c, x)
}

// relaunchContainer is the end of that wait.
func (n *ContainerManager) relaunchContainer(c *rpcenv.Context, m relaunchContainer) {
	n.prepare(c, n.books.container(m.id)) // known: a kill, which may end and forget it, cancels the wait
}

// prepare makes what the process needs on the disk, then starts it.
func (n *ContainerManager) prepare(c *rpcenv.Context, x *container) {
	x.launch.Links = n.cache.links(x.wants)
	if n.cfg.Containers == nil {
		n.startProcess(c, x)
		return
	}
	// killProcess cannot stop a body beside the endpoint; it leaves the end to the callback below.
	x.busy = true
	containers, l := n.cfg.Containers, x.launch
	rpcenv.Run(c, "", func(b *rpcenv.Blocking) (launch.Container, error) {
		return containers.Prepare(b, l)
	}, func(made launch.Container, err error) {
		x.busy = false
		switch {
		case x.State == machine.Killing: // a kill came meanwhile
			n.killedBeforeStart(c, x)
		case err != nil:
			n.failedToLaunch(c, x, err)
		default:
			x.launch = made
			n.startProcess(c, x)
		}
	})
}

func (n *ContainerManager) startProcess(c *rpcenv.Context, x *container) {
	cmd := rpcenv.Command{Class: ContainerClass, Args: x.launch.Words(), Dir: x.launch.Dir}
	for _, v := range x.launch.Environment() {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	process, err := c.Start(cmd, func(e rpcenv.Exit) { n.processEnded(c, x, e) })
	if err != nil {
		n.failedToLaunch(c, x, err)
		return
	}
	x.process = process
	n.containerEvent(c, x, machine.ContainerEvent{Kind: machine.ContainerLaunched})
}

// failedToLaunch is the end of a container whose process could not be started.
func (n *ContainerManager) failedToLaunch(c *rpcenv.Context, x *container, err error) {
	code := int32(-1)
	if errors.Is(err, ErrDisksFailed) {
		code = exitstatus.DisksFailed
	}
	c.Log().WithError(err).Warnf("Failed to launch container %s", x.id)
	n.containerEvent(c, x, machine.ContainerEvent{Kind: machine.ExitedFailure, ExitStatus: code, Diagnostics: fmt.Sprintf("%v\n", err)})
}

// Exit codes of a process that a signal ended: somebody wanted that, so it is no failure to retry.
const (
	exitForceKilled = 128 + 9
	exitTerminated  = 128 + 15
)

// processEnded is the end of a container's process. It mirrors ContainerLaunch.handleContainerExitCode.
func (n *ContainerManager) processEnded(c *rpcenv.Context, x *container, e rpcenv.Exit) {
	x.process, x.over = nil, 0
	code := int32(e.Code)
	switch {
	case e.Err != nil:
		n.failedToLaunch(c, x, e.Err)
	case code == 0:
		n.containerEvent(c, x, machine.ContainerEvent{Kind: machine.ExitedSuccess})
	case code == exitForceKilled || code == exitTerminated:
		n.killed(c, x, code)
	default:
		n.failed(c, x, code)
	}
}

func (n *ContainerManager) killed(c *rpcenv.Context, x *container, code int32) {
	text := fmt.Sprintf("Container killed on request. Exit code is %d\n", code)
	if x.State == machine.Running {
		text += "Killed by external signal\n" // killContainer would have moved it to KILLING before
	}
	n.containerEvent(c, x, machine.ContainerEvent{Kind: machine.KilledOnRequest, ExitStatus: code, Diagnostics: text})
}

// killedBeforeStart ends a container that was killed before it had a process.
func (n *ContainerManager) killedBeforeStart(c *rpcenv.Context, x *container) {
	n.killed(c, x, exitTerminated)
}

// failed ends a container with a failure, whose diagnostics have the last lines of its output.
func (n *ContainerManager) failed(c *rpcenv.Context, x *container, code int32) {
	// Called with the output, since the event takes the diagnostics.
	end := func(output string) {
		n.containerEvent(c, x, machine.ContainerEvent{
			Kind: machine.ExitedFailure, ExitStatus: code,
			Diagnostics: fmt.Sprintf("Exception from container-launch.\nContainer id: %s\nExit code: %d\n\n"+
				"[%s]Container exited with a non-zero exit code %d. %s\n", x.id, code, c.Now().UTC().Format("2006-01-02 15:04:05.000"), code, output),
		})
	}
	if n.cfg.Containers == nil {
		end("")
		return
	}
	x.busy = true
	containers, l := n.cfg.Containers, x.launch
	rpcenv.Run(c, "", func(b *rpcenv.Blocking) (string, error) {
		return containers.Output(b, l), nil
	}, func(output string, _ error) {
		x.busy = false
		end(output)
	})
}

// killContainer ends a container as soon as the work that is under way allows. It does nothing to one that has ended.
func (n *ContainerManager) killContainer(c *rpcenv.Context, x *container, status int32, why string) {
	n.containerEvent(c, x, machine.ContainerEvent{Kind: machine.KillContainer, ExitStatus: status, Diagnostics: why})
}

// killProcess ends a container's process: by SIGTERM, and by SIGKILL when yarn.nodemanager.sleep-delay-before-sigkill.ms are
// over.
func (n *ContainerManager) killProcess(c *rpcenv.Context, x *container) {
	switch {
	case x.process != nil:
		x.process.Kill(NodeManagerKillDelay.Get(c.Conf()))
	case x.busy: // the callback of prepare or failed ends it
	default: // it waits for its next start
		c.Cancel(x.timer)
		n.killedBeforeStart(c, x)
	}
}

// cleanUpContainer gives a container's resources back and removes its directories.
func (n *ContainerManager) cleanUpContainer(c *rpcenv.Context, x *container) {
	n.releaseResources(c, x)
	done := func() {
		n.containerEvent(c, x, machine.ContainerEvent{Kind: machine.ContainerResourcesCleanedUp})
	}
	if x.launch.Dir == "" { // nothing was prepared
		done()
		return
	}
	containers, l := n.cfg.Containers, x.launch
	n.remove(c, func(b *rpcenv.Blocking) error { return containers.Remove(b, l) }, "the directories of "+l.ID, done)
}
