package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/coherer/coherer/bench/endpoints"
	"github.com/coherer/coherer/bench/flows"
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/bench/stage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// coherer is what is measured: an endpoint on each side of a pair, in one Env or in one for each process. Only the many senders of
// fan-in and the many receivers of fan-out have an Env each, and so a connection each, as executors have.
type coherer struct{}

func (coherer) Name() string    { return "coherer" }
func (coherer) Version() string { return "" }

func (coherer) Cases() []measure.Case {
	return append([]measure.Case{
		measure.LocalTell, measure.LocalAsk, measure.RemoteTell, measure.RemoteAsk, measure.OneWay, measure.FanIn, measure.FanOut,
		measure.EndpointSpawn, measure.Connect,
	}, flows.Cases()...)
}

func (coherer) Extras() measure.Extras { return measure.Extras{Pairs: true, Rate: true, Host: true} }

func (coherer) Serve(spec *measure.Spec, sinks []*measure.Sink) (address string, stop func(), err error) {
	if spec.Case.Peers() {
		return flows.Serve(spec, sinks[0])
	}
	s, err := stage.New(spec, "Receiver")
	if err != nil {
		return "", nil, err
	}
	addresses, err := receivers(s, spec, sinks)
	if err != nil {
		return "", nil, errors.Join(err, s.Close())
	}
	return strings.Join(addresses, ","), func() { _ = s.Close() }, nil // the trial is over by then: a failure to close changes no figure
}

// receivers registers the receiving side and returns the addresses of its Envs.
func receivers(s *stage.Stage, spec *measure.Spec, sinks []*measure.Sink) (addresses []string, err error) {
	c, err := settings(spec)
	if err != nil {
		return nil, err
	}
	var e *rpcenv.Env
	for i, sink := range sinks {
		if e == nil || spec.Case == measure.FanOut {
			if e, err = s.Env(numbered("Receiver", i), s.Listen(), c); err != nil {
				return nil, err
			}
			addresses = append(addresses, e.Address().String())
		}
		if err := register(e, spec, i, sink); err != nil {
			return nil, err
		}
	}
	return addresses, nil
}

func numbered(name string, i int) string { return name + strconv.Itoa(i) }

func register(e *rpcenv.Env, spec *measure.Spec, i int, sink *measure.Sink) error {
	endpoint := rpcenv.Endpoint(&endpoints.Door{Count: sink})
	if spec.Case != measure.Connect {
		endpoint = endpoints.NewSink(spec, sink)
	}
	_, err := e.Register(endpoints.SinkOf(spec, i), endpoint)
	return err
}

// settings are those of all Envs of a trial: the defaults, but with room for what is under way by the user's wish. Endpoints, unlike
// bodies, cannot wait for room.
func settings(spec *measure.Spec) (*conf.Conf, error) {
	const plenty = 32 << 20 // half of coherer.rpc.outbox.limit
	under := spec.BytesInFlight()
	if under <= plenty {
		return nil, nil
	}
	limit := min(2*under, 1<<30) // the most that the setting may be
	return conf.New(map[string]string{rpcenv.RPCOutboxLimit.Key(): fmt.Sprint(limit, "b")}, rpcenv.Settings)
}

func (coherer) Run(ctx context.Context, t *measure.Trial) (err error) {
	if t.Spec.Case.Peers() {
		return flows.Run(ctx, t)
	}
	s, err := stage.New(t.Spec, "Sender")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	switch t.Spec.Case {
	case measure.EndpointSpawn:
		return spawn(ctx, s, t)
	case measure.Connect:
		return connect(ctx, s, t)
	case measure.OneWay:
		return flood(ctx, s, t)
	}
	return exchange(ctx, s, t)
}

// parties are the two sides of each pair, as the sending process sees them.
type parties struct {
	envs []*rpcenv.Env // of the senders: one, or by pair
	to   []rpcenv.Ref  // by pair
}

func (p *parties) env(pair int) *rpcenv.Env { return p.envs[pair%len(p.envs)] }

// source is the endpoint that sends for a pair.
func (p *parties) source(spec *measure.Spec, pair int) rpcenv.Ref {
	return rpcenv.Ref{Address: p.env(pair).Address(), Name: endpoints.SourceOf(spec, pair)}
}

// meet makes the Envs of the senders, and in a local case the receivers.
func meet(s *stage.Stage, t *measure.Trial) (*parties, error) {
	c, err := settings(t.Spec)
	if err != nil {
		return nil, err
	}
	p := &parties{envs: make([]*rpcenv.Env, 1)}
	if t.Spec.Case == measure.FanIn {
		p.envs = make([]*rpcenv.Env, t.Spec.Pairs)
	}
	var listen rpcenv.Address // empty, so it does not listen: in a local case no other process calls
	if t.Spec.Case.Remote() {
		listen = s.Listen()
	}
	for i := range p.envs {
		if p.envs[i], err = s.Env(numbered("Sender", i), listen, c); err != nil {
			return nil, err
		}
	}
	for i, sink := range t.Sinks {
		if err := register(p.envs[0], t.Spec, i, sink); err != nil {
			return nil, err
		}
	}
	addresses := []rpcenv.Address{p.envs[0].Address()}
	if t.Spec.Case.Remote() {
		if addresses, err = parse(t.Address); err != nil {
			return nil, err
		}
	}
	for pair := range t.Spec.Pairs {
		receiver := pair % t.Spec.Receivers()
		p.to = append(p.to, rpcenv.Ref{Address: addresses[pair%len(addresses)], Name: endpoints.SinkOf(t.Spec, receiver)})
	}
	return p, nil
}

func parse(list string) (addresses []rpcenv.Address, err error) {
	for text := range strings.SplitSeq(list, ",") {
		a, err := rpcenv.ParseAddress(text)
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, a)
	}
	return addresses, nil
}
