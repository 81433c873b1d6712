package nodemanager

import (
	"slices"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/actors/nodemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// application is what a node knows of an application that has, or had, containers here.
type application struct {
	machine.Application
	id   ids.Application
	user string
	// queued are the containers that wait for it.
	queued []*container
	// why is the reason of its end, for the diagnostics of its containers.
	why string
}

// container is what a node knows of a container, from its start until the ResourceManager says to forget it.
type container struct {
	machine.Container
	id      ids.Container
	app     *application
	token   *yarn.ContainerTokenIdentifier
	context *yarn.ContainerLaunchContext
	launch  launch.Container
	wants   []want
	process rpcenv.Process // nil while none runs
	// busy is whether something is under way that its process waits for.
	busy bool
	// refused: it came after its application's end, and is not one of its Containers.
	refused   bool
	retryWait time.Duration
	timer     rpcenv.Timer // of the next start
	// over is how often in a row it used more memory than it has.
	over int
	// reported is whether a heartbeat with its end was answered.
	reported bool
}

// want is a resource of a container, and the name by which it wants it.
type want struct {
	link string
	key  cacheKey
}

// status is what an ApplicationMaster and the ResourceManager see.
func (x *container) status() *yarn.ContainerStatus {
	return &yarn.ContainerStatus{
		ContainerId: x.id.Proto(), State: x.wireState(), Diagnostics: x.Diagnostics, ExitStatus: x.ExitStatus, Capability: x.token.GetResource(),
	}
}

// registered is the container as the node reports it when it registers again.
func (x *container) registered() *yarn.NMContainerStatus {
	return &yarn.NMContainerStatus{
		ContainerId: x.id.Proto(), ContainerState: x.wireState(), Resource: x.token.GetResource(), Priority: x.token.GetPriority(),
		Diagnostics: x.Diagnostics, ContainerExitStatus: x.ExitStatus, CreationTime: x.token.GetCreationTime(),
	}
}

// wireState is all that others see of a state.
func (x *container) wireState() yarn.ContainerState {
	if x.State == machine.Done {
		return yarn.ContainerState_C_COMPLETE
	}
	return yarn.ContainerState_C_RUNNING
}

// books are the applications and containers of a node, in the order of their coming.
type books struct {
	apps       []*application
	containers []*container
	// started are the tokens that started a container, until they expire by themselves.
	started map[ids.Container]int64
	// stopped are containers that ended and were forgotten, with the time until which that is remembered.
	stopped map[ids.Container]time.Time
}

func newBooks() *books {
	return &books{started: map[ids.Container]int64{}, stopped: map[ids.Container]time.Time{}}
}

func (b *books) app(id ids.Application) *application {
	i := slices.IndexFunc(b.apps, func(a *application) bool { return a.id == id })
	if i < 0 {
		return nil
	}
	return b.apps[i]
}

func (b *books) container(id ids.Container) *container {
	i := slices.IndexFunc(b.containers, func(x *container) bool { return x.id == id })
	if i < 0 {
		return nil
	}
	return b.containers[i]
}

// of are the containers of an application. Those that have ended do not hear a kill.
func (b *books) of(a *application) (out []*container) {
	for _, x := range b.containers {
		if x.app == a {
			out = append(out, x)
		}
	}
	return out
}

// live is how many containers have not ended.
func (b *books) live() (n int) {
	for _, x := range b.containers {
		if x.State != machine.Done {
			n++
		}
	}
	return n
}

func (b *books) forgetApp(a *application) {
	b.apps = slices.DeleteFunc(b.apps, func(x *application) bool { return x == a })
}

// forget drops a container that has ended; that it did is remembered until a time.
func (b *books) forget(x *container, until time.Time) {
	b.containers = slices.DeleteFunc(b.containers, func(y *container) bool { return y == x })
	b.stopped[x.id] = until
}

// expire drops what need not be remembered any more.
func (b *books) expire(now time.Time) {
	for id, until := range b.started {
		if until < now.UnixMilli() {
			delete(b.started, id)
		}
	}
	for id, until := range b.stopped {
		if until.Before(now) {
			delete(b.stopped, id)
		}
	}
}

// acknowledged notes that the ResourceManager has heard the ends of containers, and drops those whose application has ended
// too: nobody will ask to forget them.
func (b *books) acknowledged(ends []*container, until time.Time) {
	for _, x := range ends {
		x.reported = true
		if x.app.State >= machine.FinishingContainersWait {
			b.forget(x, until)
		}
	}
}

// ended are the containers whose end no answered heartbeat has reported.
func (b *books) ended() (out []*container) {
	for _, x := range b.containers {
		if x.State == machine.Done && !x.reported {
			out = append(out, x)
		}
	}
	return out
}

// statuses are those of all containers whose end no answered heartbeat has reported.
func (b *books) statuses() (out []*yarn.ContainerStatus) {
	for _, x := range b.containers {
		if !x.reported {
			out = append(out, x.status())
		}
	}
	return out
}
