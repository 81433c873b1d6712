package nodemanager

import (
	"slices"
	"time"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/actors/nodemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// maxEarly bounds the requests that wait for the keys of the ResourceManager: their senders are not proved yet.
const maxEarly = 100

// early is a request that came before the keys of the ResourceManager, which prove its sender.
type early struct {
	request *yarn.StartContainersRequest
	call    rpcenv.Call[*yarn.StartContainersResponse]
}

// startContainers accepts containers. A request that comes while this node is being registered waits for that.
func (n *ContainerManager) startContainers(c *rpcenv.Context, m *yarn.StartContainersRequest) {
	e := early{m, rpcenv.Defer(c, m)}
	if n.reg.asking && n.reg.nodes.current == nil && len(n.early) < maxEarly {
		n.early = append(n.early, e)
		return
	}
	n.startAll(c, e)
}

// startEarly handles the requests that waited.
func (n *ContainerManager) startEarly(c *rpcenv.Context) {
	waiting := n.early
	n.early = nil
	for _, e := range waiting {
		n.startAll(c, e)
	}
}

// startAll accepts the containers of a request, each by itself: one that fails does not fail the others. Accepted is not running.
func (n *ContainerManager) startAll(c *rpcenv.Context, e early) {
	caller, refused := n.caller(e.request.GetNmToken())
	if refused != nil {
		e.call.Fail(refused)
		return
	}
	r := &yarn.StartContainersResponse{}
	for _, entry := range e.request.GetStartContainerRequest() {
		id, wrong := n.startContainer(c, caller, entry)
		if wrong != nil {
			c.Log().Warnf("A container of %s is not started: %s", caller, wrong.text)
			r.FailedRequests = append(r.FailedRequests, wrong.of(id))
			continue
		}
		r.SucceededRequests = append(r.SucceededRequests, id)
	}
	e.call.Reply(r)
}

// startContainer accepts a container, or says why not. The id is what the token says, as far as it can be read.
func (n *ContainerManager) startContainer(c *rpcenv.Context, caller ids.Attempt, m *yarn.StartContainerRequest) (*yarn.ContainerId, *refusal) {
	t := &yarn.ContainerTokenIdentifier{}
	if wrong := n.checkToken(m.GetContainerToken(), t); wrong != nil {
		return t.GetContainerId(), wrong
	}
	id, err := ids.ContainerFrom(t.GetContainerId())
	if err != nil {
		return t.GetContainerId(), refuse(yarnException, "%v", err)
	}
	if wrong := n.mayStart(c, caller, id, t); wrong != nil {
		return t.GetContainerId(), wrong
	}
	x := &container{id: id, token: t, context: m.GetContainerLaunchContext()}
	// All checks come before the first change of the books: a container that is refused may be started by another request.
	if wrong := n.describe(c, x); wrong != nil {
		return t.GetContainerId(), wrong
	}
	if n.books.container(id) != nil {
		return t.GetContainerId(), refuse(yarnException, "Container %s is already started", id)
	}
	// A token starts one container. It is remembered until it expires, after which it starts none anyway.
	n.books.started[id] = t.GetExpiryTimeStamp()
	n.accept(c, x)
	return t.GetContainerId(), nil
}

// checkToken checks that a container's token comes from the ResourceManager and is for this node.
func (n *ContainerManager) checkToken(signed *yarn.Token, t *yarn.ContainerTokenIdentifier) *refusal {
	forged := refuse(invalidToken, "Invalid container token used for starting container on : %s", n.nodeID())
	if signed == nil {
		return refuse(yarnException, "java.io.IOException: Invalid ContainerToken")
	}
	// Without the key first: the identifier says which key signed it.
	if err := token.Identify(signed, t); err != nil {
		return forged
	}
	key := n.reg.containers.find(t.GetMasterKeyId())
	if key == nil && n.reg.containers.current == nil {
		return refuse(nodeManagerNotReady, "Rejecting new containers as NodeManager has not yet connected with ResourceManager")
	}
	if err := token.Open(signed, token.Container, key, t); err != nil {
		return forged
	}
	// After Open: only now the identifier is known to be the ResourceManager's.
	if t.GetNmHostAddr() != n.nodeID() {
		id, _ := ids.ContainerFrom(t.GetContainerId()) // the ResourceManager made it
		return refuse(invalidToken, "Given Container %s identifier is not valid for current Node manager. Expected : %s Found : %s",
			id, n.nodeID(), t.GetNmHostAddr())
	}
	return nil
}

// caller is the attempt that an NMToken shows.
func (n *ContainerManager) caller(signed *yarn.Token) (ids.Attempt, error) {
	t := &yarn.NMTokenIdentifier{}
	// Without the key first: the identifier names it.
	if err := token.Identify(signed, t); err != nil {
		return ids.Attempt{}, unauthorized(err)
	}
	if err := token.Open(signed, token.NM, n.reg.nodes.find(t.GetKeyId()), t); err != nil {
		return ids.Attempt{}, unauthorized(err)
	}
	if at := (rpcenv.Address{Host: t.GetNodeId().GetHost(), Port: int(t.GetNodeId().GetPort())}); at != n.addr {
		return ids.Attempt{}, unauthorized(errOtherNode)
	}
	a, err := ids.AttemptFrom(t.GetAppAttemptId())
	if err != nil {
		return ids.Attempt{}, unauthorized(err)
	}
	return a, nil
}

// mayStart makes the checks that need no launch context, in Hadoop's order, which decides between two errors.
func (n *ContainerManager) mayStart(c *rpcenv.Context, caller ids.Attempt, id ids.Container, t *yarn.ContainerTokenIdentifier) *refusal {
	now := c.Now().UnixMilli()
	_, before := n.books.started[id]
	switch {
	case caller.App != id.Attempt.App:
		return refuse(yarnException, "Unauthorized request to start container.\n"+
			"NMToken for application attempt : %s was used for starting container with container token issued for application attempt : %s", caller, id.Attempt)
	case before && t.GetExpiryTimeStamp() >= now:
		return refuse(yarnException, "Unauthorized request to start container.\n Attempt to relaunch the same container with id %s.", id)
	case t.GetExpiryTimeStamp() < now:
		return refuse(yarnException, "Unauthorized request to start container.\nThis token is expired. current time is %d found %d\n"+
			"Note: System times on machines may be out of sync. Check system time and time zones.", now, t.GetExpiryTimeStamp())
	case t.GetRmIdentifier() != n.reg.identifier:
		// The ResourceManager that registered this node has not given the container, and counts its room as free.
		return refuse(invalidContainer, "Container %s rejected as it is allocated by a previous RM", id)
	case n.leaving:
		return refuse(yarnException, "Container %s is not started: this NodeManager ends", id)
	}
	if err := ids.Check("user", t.GetAppSubmitter()); err != nil {
		return refuse(yarnException, "%v", err)
	}
	return nil
}

// describe reads a launch context into x. Errors are in Hadoop's words, where it has some.
func (n *ContainerManager) describe(c *rpcenv.Context, x *container) *refusal {
	services := NodeManagerAuxServices.Get(c.Conf())
	for _, s := range x.context.GetServiceData() {
		if !slices.Contains(services, s.GetKey()) {
			return refuse(invalidAuxService, "The auxService:%.*s does not exist", ids.Max, s.GetKey())
		}
	}
	x.launch = launch.Container{
		User: x.token.GetAppSubmitter(), App: x.id.Attempt.App.String(), ID: x.id.String(),
		Host: n.addr.Host, Port: n.addr.Port, HTTPPort: n.cfg.HTTPPort,
		MemoryMB: x.token.GetResource().GetMemory(), VCores: int(x.token.GetResource().GetVirtualCores()),
		Admin: nodeManagerAdminEnv.Get(c.Conf()), Command: x.context.GetCommand(), Tokens: x.context.GetTokens(),
	}
	for _, s := range services {
		x.launch.Services = append(x.launch.Services, launch.Service{Name: s})
	}
	for _, v := range x.context.GetEnvironment() {
		x.launch.Env = append(x.launch.Env, launch.Variable{Name: v.GetKey(), Value: v.GetValue()})
	}
	if err := launch.CheckNames(x.launch.Env); err != nil {
		return refuse(yarnException, "%v", err)
	}
	if len(x.launch.Command) == 0 {
		return refuse(yarnException, "Container %s has no command to start", x.id)
	}
	var keys []string
	for _, m := range x.context.GetLocalResources() {
		w, wrong := x.want(m)
		if wrong != nil {
			return wrong
		}
		if !slices.Contains(keys, w.key.String()) { // two links to one resource wait for it once
			keys = append(keys, w.key.String())
		}
		x.wants = append(x.wants, w)
	}
	policy := x.context.GetContainerRetryContext()
	x.retryWait = time.Duration(max(policy.GetRetryInterval(), 0)) * time.Millisecond
	x.Container = machine.NewContainer(keys, machine.Retry{
		Policy: machine.RetryPolicy(policy.GetRetryPolicy()), Codes: policy.GetErrorCodes(), Left: policy.GetMaxRetries(),
	})
	return nil
}

// want reads one local resource.
func (x *container) want(m *yarn.StringLocalResourceMap) (want, *refusal) {
	r := m.GetValue()
	var missing string
	switch {
	case r.GetResource().GetFile() == "":
		missing = "URL"
	case r.GetType() == yarn.LocalResourceType_LRT_UNSET:
		missing = "type"
	case r.GetVisibility() == yarn.LocalResourceVisibility_LRV_UNSET:
		missing = "visibility"
	}
	if missing != "" {
		return want{}, refuse(yarnException, "Null resource %s for local resource %.*s", missing, ids.Max, m.GetKey())
	}
	if err := launch.CheckLink(m.GetKey()); err != nil {
		return want{}, refuse(yarnException, "%v", err)
	}
	k := cacheKey{Key: Key{
		URL: urlText(r.GetResource()), Timestamp: r.GetTimestamp(), Type: r.GetType(), Visibility: r.GetVisibility(), Pattern: r.GetPattern(),
	}, size: r.GetSize()}
	// Others must not read it from the cache, so it is another resource for each user, or application.
	if k.Visibility != yarn.LocalResourceVisibility_PUBLIC {
		k.user = x.launch.User
	}
	if k.Visibility == yarn.LocalResourceVisibility_APPLICATION {
		k.app = x.launch.App
	}
	return want{m.GetKey(), k}, nil
}

// accept enters a container and, with the first one, its application.
func (n *ContainerManager) accept(c *rpcenv.Context, x *container) {
	a := n.books.app(x.id.Attempt.App)
	isNew := a == nil
	if isNew {
		a = &application{id: x.id.Attempt.App, user: x.launch.User}
		n.books.apps = append(n.books.apps, a)
	}
	x.app = a
	n.books.containers = append(n.books.containers, x)
	c.Log().Infof("Start request for %s by user %s", x.id, x.launch.User)
	c.State("container", x.id.String(), "", x.State.String(), "StartContainers")
	n.initializeShuffle(c, x)
	if isNew {
		c.State("application", a.id.String(), "", a.State.String(), "StartContainers")
		n.applicationEvent(c, a, machine.InitApplication)
	}
	// Queued before the event, which starts or refuses the queue at once if the application is that far.
	a.queued = append(a.queued, x)
	n.applicationEvent(c, a, machine.InitApplicationContainer)
}
