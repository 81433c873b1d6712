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
)

// flow is how a case is done.
type flow struct {
	// peers is what the role's peers are called, in the plural.
	peers string
	// settings are the role's.
	settings map[string]string
	// serve registers the role's endpoints.
	serve func(*role) error
	// run drives the peers until the trial is over.
	run func(context.Context, *drive) error
	// files is how many files a peer opens in its own process.
	files int
}

var flows = map[measure.Case]flow{
	measure.RegisterWorker: {"Workers", patientMaster, serveRegistrations, runRegistrations, 2},
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
	if err := checkFiles(spec, f.peers, 1); err != nil {
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
	r := &role{spec: spec, count: sink}
	if r.env, err = s.Env("Role", stage.Loopback, c); err == nil {
		err = f.serve(r)
	}
	if err != nil {
		return "", nil, errors.Join(err, s.Close())
	}
	return r.env.Address().String(), func() { _ = s.Close() }, nil // the trial is over by then: a failure to close changes no figure
}
