package flows

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/bench/stage"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/metrics"
)

// flow says how a case is measured.
type flow struct {
	// settings are the role's; serve registers its endpoints.
	settings map[string]string
	serve    func(*role) error
	// peers names the role's peers, in the plural; run drives them until the trial is over.
	peers string
	run   func(context.Context, *drive) error
	// files is how many files a peer opens in its own process. Spare peers are beyond the pairs, for each operation that may be under way.
	files, spare int
}

// population is how many peers there are at once.
func (f *flow) population(spec *measure.Spec) int { return spec.Pairs + f.spare*spec.InFlight }

var flows = map[measure.Case]flow{
	measure.RegisterWorker:    {patientMaster, serveRegistrations, "Workers", runRegistrations, 2, spareWorkers},
	measure.Heartbeat:         {patientMaster, serveHeartbeats, "Workers", runHeartbeats, 2, 0},
	measure.LaunchExecutor:    {patientMaster, serveExecutors, "Workers", runExecutors, 2, 0},
	measure.LaunchTask:        {patientDriver, serveTasks, "executors", runTasks, 1, 0},
	measure.AllocateContainer: {patientResourceManager, serveContainers, "NodeManagers", runContainers, 2, 0},
}

// Cases are those of the flows.
func Cases() []measure.Case { return slices.Sorted(maps.Keys(flows)) }

// role is the process of the role.
type role struct {
	spec *measure.Spec
	env  *rpcenv.Env
	// count counts the operations that the role has handled.
	count *measure.Sink
}

// Serve starts the role of a case and counts for sink, until stop is called. The address is the role's.
func Serve(spec *measure.Spec, sink *measure.Sink) (address string, stop func(), err error) {
	f := flows[spec.Case]
	if err := checkFiles(f.population(spec), f.peers, 1); err != nil {
		return "", nil, err
	}
	c, err := conf.New(f.settings, known.All())
	if err != nil {
		return "", nil, err
	}
	s, err := stage.New(spec, "Receiver")
	if err != nil {
		return "", nil, err
	}
	s.Quiet() // in some flows a role rightly warns with each operation, and a line would cost as much as that
	r := &role{spec: spec, count: sink}
	if r.env, err = s.Env("Role", s.Listen(), c); err == nil {
		err = f.serve(r)
	}
	if err != nil {
		return "", nil, errors.Join(err, s.Close())
	}
	return r.env.Address().String(), func() { _ = s.Close() }, nil // the trial is over by then: a failure to close changes no figure
}

// received is how many messages of a type an endpoint has got.
func received(env *rpcenv.Env, endpoint, message string) uint64 {
	for _, e := range env.Metrics().Endpoints {
		if e.Name != endpoint {
			continue
		}
		for _, s := range e.Series {
			if s.Kind == metrics.Message && s.Type == message {
				return s.Received
			}
		}
	}
	return 0
}
