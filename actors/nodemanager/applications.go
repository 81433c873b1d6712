package nodemanager

import (
	"slices"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/nodemanager/machine"
	"github.com/coherer/coherer/rpcenv"
)

// applicationEvent gives an event to an application's machine, and carries out its actions. It mirrors ApplicationImpl.handle.
func (n *ContainerManager) applicationEvent(c *rpcenv.Context, a *application, e machine.ApplicationEvent) {
	next, actions, err := a.Next(e)
	if err != nil {
		c.Log().WithError(err).Errorf("Can't handle this event at current state: application %s", a.id)
		return
	}
	from := a.State
	// Before the actions: some bring the next event of the same application.
	a.Application = next
	if from != next.State {
		c.Log().Infof("Application %s transitioned from %s to %s", a.id, from, next.State)
		c.State("application", a.id.String(), from.String(), next.State.String(), e.String())
	}
	if e == machine.InitApplication { // logs are files of the containers, so their handling needs no start
		n.applicationEvent(c, a, machine.LogHandlingInited)
		return
	}
	for _, action := range actions {
		n.doForApplication(c, a, action)
	}
}

func (n *ContainerManager) doForApplication(c *rpcenv.Context, a *application, action machine.Action) {
	switch action {
	case machine.InitResources: // directories are made with the first container that needs them
		n.applicationEvent(c, a, machine.ApplicationInited)
	case machine.InitContainers:
		// Emptied first: a container's event may bring another event of this application.
		queued := a.queued
		a.queued = nil
		for _, x := range queued {
			n.containerEvent(c, x, machine.ContainerEvent{Kind: machine.InitContainer})
		}
	case machine.KillContainers:
		for _, x := range n.books.of(a) {
			n.killContainer(c, x, exitstatus.KilledAfterAppCompletion, "Container killed on application-finish event: "+a.why+"\n")
		}
	case machine.RefuseContainer:
		late := a.queued // since the application's end
		a.queued = nil
		for _, x := range late {
			x.refused = true // the application has not counted it, and must not count its end
			n.killContainer(c, x, exitstatus.KilledAfterAppCompletion, "Container killed on application-finish event: "+a.why+"\n")
		}
	case machine.CleanUpApplication:
		n.cleanUpApplication(c, a)
	case machine.ForgetApplication:
		n.books.forgetApp(a)
		n.keepLogs(c, a.id, c.Now())
		for _, x := range slices.Clone(n.books.containers) {
			// The ResourceManager has heard their end, and forgets the application: it will not ask to forget them.
			if x.app == a && x.reported {
				n.books.forget(x, n.rememberUntil(c))
			}
		}
	}
}

// finishApplication ends an application here, with its containers.
func (n *ContainerManager) finishApplication(c *rpcenv.Context, a *application, why string) {
	a.why = why
	n.applicationEvent(c, a, machine.FinishApplication)
}

// cleanUpApplication removes what an application has on this machine but its logs.
func (n *ContainerManager) cleanUpApplication(c *rpcenv.Context, a *application) {
	// First: no container may get a link to files that are being removed.
	n.cache.dropApplication(a.id.String())
	n.stopShuffle(c, a.id.String(), func() { n.removeApplication(c, a) })
}

// removeApplication removes an application's directories, when nobody serves files from there any more.
func (n *ContainerManager) removeApplication(c *rpcenv.Context, a *application) {
	done := func() {
		n.applicationEvent(c, a, machine.ApplicationResourcesCleanedUp)
		n.applicationEvent(c, a, machine.LogHandlingFinished)
	}
	if n.cfg.Containers == nil {
		done()
		return
	}
	containers, user, app := n.cfg.Containers, a.user, a.id.String()
	n.remove(c, func(b *rpcenv.Blocking) error { return containers.RemoveApplication(b, user, app) }, "the directories of "+app, done)
}

// remove removes something from the disk, now or when yarn.nodemanager.delete.debug-delay-sec are over, then calls done. It waits
// for the removal only without a delay.
func (n *ContainerManager) remove(c *rpcenv.Context, body func(*rpcenv.Blocking) error, what string, done func()) {
	delay := nodeManagerDeleteDebugDelay.Get(c.Conf())
	if delay >= 0 { // below 0: nothing is ever removed
		rpcenv.Run(c, "", func(b *rpcenv.Blocking) (struct{}, error) {
			if delay > 0 {
				if err := b.Sleep(delay); err != nil {
					return struct{}{}, err
				}
			}
			return struct{}{}, body(b)
		}, func(_ struct{}, err error) {
			if err != nil {
				c.Log().WithError(err).Errorf("Could not remove %s", what)
			}
			if delay == 0 {
				done()
			}
		})
	}
	if delay != 0 { // files that stay for study hold nobody up
		done()
	}
}
