package flows

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/actors/resourcemanager/tracker"
	"github.com/coherer/coherer/bench/flows/hollow"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// patientResourceManager gives up no node and no ApplicationMaster that is silent.
var patientResourceManager = map[string]string{
	"yarn.nm.liveness-monitor.expiry-interval-ms": "86400000",
	"yarn.am.liveness-monitor.expiry-interval-ms": "86400000",
}

// serveContainers starts a ResourceManager and waits until it serves.
func serveContainers(r *role) error {
	keys, err := resourcemanager.NewKeys(rand.Reader)
	if err != nil {
		return err
	}
	if _, err := resourcemanager.Start(r.env, resourcemanager.Config{Keys: keys}); err != nil {
		return err
	}
	// Before the scheduler answers, it orders a clean-up of each container that comes back. The last operation of a batch gives its
	// container back with the first one of the next batch: so between two ends of batches as many come back as were given.
	r.count.CountBy(func() uint64 { return received(r.env, tracker.Name, "CleanUpContainer") })
	b := r.env.Blocking(context.Background())
	defer b.Close()
	_, err = rpcenv.AskWait(b, r.env.Ref(r.env.Address(), ids.ClientRMService), resourcemanager.AwaitActive{})
	return err
}

// started is a node's order to start an ApplicationMaster, or the error in its place.
type started struct {
	attempt *yarn.ApplicationAttemptId
	token   *yarn.Token
	err     error
}

// nodes are the peers of allocate-container.
type nodes struct {
	*drive
	all     []station
	beaten  func() // a node's heartbeat was answered
	started chan started
	first   chan error // the container before the trial
}

// station is a peer that gets its orders as messages.
type station struct {
	env *rpcenv.Env
	ref rpcenv.Ref
}

func runContainers(ctx context.Context, d *drive) error {
	n := &nodes{drive: d, all: make([]station, d.spec.Pairs), started: make(chan started, 1), first: make(chan error, 1)}
	err := together(ctx, len(n.all), func(ctx context.Context, i int) error {
		if err := n.open(ctx, &n.all[i]); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	am, err := n.submit(ctx)
	if err != nil {
		return fmt.Errorf("application: %w", err)
	}
	// One container before the trial: until then the FairScheduler may not know what the application demands.
	n.order(am, hollow.Want{At: beforeTrial})
	if err := wait(ctx, n.first); err != nil {
		return err
	}
	d.begin = func(i int, at time.Duration) {
		if err := am.env.Send(am.ref, hollow.Want{Node: i, At: at}); err != nil {
			d.end(err)
		}
	}
	return d.trialOf(ctx, len(n.all))
}

// at is an endpoint of the ResourceManager.
func (n *nodes) at(name string) rpcenv.Ref { return rpcenv.Ref{Address: n.role, Name: name} }

// order sends a peer one of its messages; a peer that has ended makes the trial fail.
func (n *nodes) order(s station, m rpcenv.Message) {
	if err := s.env.Send(s.ref, m); err != nil {
		n.fail(err)
	}
}

// open brings up a registered node.
func (n *nodes) open(ctx context.Context, s *station) (err error) {
	if s.env, err = n.stage.Env("NM", n.stage.Listen(), nil); err != nil {
		return err
	}
	registered := make(chan error, 1)
	s.ref, err = s.env.Register(ids.ContainerManager, &hollow.NodeManager{
		Tracker: n.at(ids.ResourceTracker), MemoryMB: 8192, VCores: 8, Registered: func(err error) { registered <- err },
		Beaten: func() { n.beaten() }, Failed: n.fail, Started: n.start,
	})
	if err != nil {
		return err
	}
	return wait(ctx, registered)
}

// beforeTrial marks the container that is no operation.
const beforeTrial = -1

func (n *nodes) got(w hollow.Want) {
	if w.At == beforeTrial {
		n.first <- nil
		return
	}
	n.did(w.Node, w.At)
}

// start takes the order to start the ApplicationMaster.
func (n *nodes) start(id *yarn.ContainerId, launch *yarn.ContainerLaunchContext) {
	t, err := token.Find(launch.GetTokens(), token.AMRM)
	select {
	case n.started <- started{id.GetAppAttemptId(), t, err}:
	default:
		n.fail(errors.New("the ApplicationMaster is started twice"))
	}
}

// submit brings an application to where its ApplicationMaster is registered.
func (n *nodes) submit(ctx context.Context) (am station, err error) {
	if am.env, err = n.stage.Env("AM", n.stage.Listen(), nil); err != nil {
		return am, err
	}
	b := am.env.Blocking(ctx)
	defer b.Close()
	client := n.at(ids.ClientRMService)
	app, err := rpcenv.AskWait(b, client, &yarn.GetNewApplicationRequest{})
	if err != nil {
		return am, err
	}
	if _, err := rpcenv.AskWait(b, client, &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: &yarn.ApplicationSubmissionContext{
		ApplicationId: app.GetApplicationId(), ApplicationName: "bench", Queue: "default", User: "bench",
		AmContainerSpec: &yarn.ContainerLaunchContext{Command: []string{"am"}}, Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1},
	}}); err != nil {
		return am, err
	}
	s, err := n.awaitStart(ctx)
	if err != nil {
		return am, err
	}
	n.beaten = func() { n.order(am, hollow.Beaten{}) }
	registered := make(chan error, 1)
	am.ref, err = am.env.Register("ApplicationMaster", &hollow.ApplicationMaster{
		Service: n.at(ids.ApplicationMasterService), Attempt: s.attempt, Token: s.token,
		Registered: func(err error) { registered <- err },
		Beat:       func(node int) { n.order(n.all[node], hollow.Beat{}) },
		Got:        n.got, Failed: n.fail,
	})
	if err != nil {
		return am, err
	}
	return am, wait(ctx, registered)
}

// awaitStart has the nodes send heartbeats in turn, until one of them is to start the ApplicationMaster.
func (n *nodes) awaitStart(ctx context.Context) (s started, err error) {
	beaten := make(chan struct{}, 1)
	n.beaten = func() { beaten <- struct{}{} }
	for i := 0; ; i++ {
		n.order(n.all[i%len(n.all)], hollow.Beat{})
		select {
		case <-beaten:
		case err := <-n.over:
			return s, err
		case <-ctx.Done():
			return s, ctx.Err()
		}
		select {
		case s := <-n.started:
			return s, s.err
		default:
		}
	}
}
