package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/bench/endpoints"
	"github.com/coherer/coherer/bench/flows"
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/record"
	"github.com/coherer/coherer/rpcenv/transport"
)

// loopback is any free port of it.
var loopback = rpcenv.Address{Host: "127.0.0.1"}

// coherer is what is measured: an endpoint on each side, in one Env or in one for each process.
type coherer struct{}

func (coherer) Name() string    { return "coherer" }
func (coherer) Version() string { return "" }

func (coherer) Cases() []measure.Case {
	return append([]measure.Case{measure.LocalTell, measure.LocalAsk, measure.RemoteTell, measure.RemoteAsk}, flows.Cases()...)
}

func (coherer) Serve(spec *measure.Spec, sinks []*measure.Sink) (string, func(), error) {
	if spec.Case.Peers() {
		return flows.Serve(spec, sinks[0])
	}
	s, err := newStage(spec, "Receiver", loopback)
	if err != nil {
		return "", nil, err
	}
	if _, err := s.env.Register(endpoints.SinkName, &endpoints.Sink{Count: sinks[0], Ask: spec.Case.Ask()}); err != nil {
		return "", nil, errors.Join(err, s.close())
	}
	return s.env.Address().String(), func() { _ = s.close() }, nil // the trial is over by then: a failure to close changes no figure
}

func (coherer) Run(ctx context.Context, t *measure.Trial) (err error) {
	if t.Spec.Case.Peers() {
		return flows.Run(ctx, t)
	}
	var listen rpcenv.Address // empty, so it does not listen: in a local case no other process calls
	if t.Spec.Case.Remote() {
		listen = loopback
	}
	s, err := newStage(t.Spec, "Sender", listen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	to := rpcenv.Ref{Address: s.env.Address(), Name: endpoints.SinkName}
	if t.Sinks != nil {
		if to, err = s.env.Register(endpoints.SinkName, &endpoints.Sink{Count: t.Sinks[0], Ask: t.Spec.Case.Ask()}); err != nil {
			return err
		}
	} else if to.Address, err = rpcenv.ParseAddress(t.Address); err != nil {
		return err
	}
	// With room for the one call of Over, which must not wait: Run may have gone by ctx.
	over := make(chan error, 1)
	var source rpcenv.Endpoint
	if t.Spec.Case.Ask() {
		source = &endpoints.Asker{To: to, Ask: t.Asks[0], Over: func(err error) { over <- err }}
	} else {
		source = &endpoints.Teller{To: to, Tell: t.Tells[0], Over: func(err error) { over <- err }}
	}
	if _, err := s.env.Register(endpoints.SourceName, source); err != nil {
		return err
	}
	select {
	case err := <-over:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stage is an Env and what it stands on.
type stage struct {
	host     *transport.Host
	env      *rpcenv.Env
	recorder *record.Recorder
	dir      string // of the record
}

func newStage(spec *measure.Spec, name string, listen rpcenv.Address) (_ *stage, err error) {
	s := &stage{}
	// After a failure close ends the parts that exist.
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	switch spec.Record {
	case measure.RecordRing:
		s.recorder, err = record.NewRingRecorder()
	case measure.RecordOn:
		if s.dir, err = os.MkdirTemp("", "coherer-bench-"); err == nil {
			s.recorder, err = record.NewFileRecorder(filepath.Join(s.dir, name), 0)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	s.host = transport.New(transport.Options{Recorder: s.recorder})
	s.env, err = rpcenv.New(s.host, rpcenv.Config{Name: name, Listen: listen, Log: app.NewLog(logrus.WarnLevel)})
	return s, err
}

func (s *stage) close() error {
	if s.env != nil {
		s.env.Close()
	}
	var errs []error
	if s.host != nil {
		errs = append(errs, s.host.Close())
	}
	errs = append(errs, s.recorder.Close())
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}
