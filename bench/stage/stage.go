// Package stage is what the Envs of a trial stand on: one Host in the process, with a record or without.
package stage

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/trace/record"
	"github.com/coherer/coherer/rpcenv/transport"
)

// Stage is a Host of Envs over TCP. Its Envs log warnings and errors, to stderr. Its methods may be called from any goroutine.
type Stage struct {
	host     *transport.Host
	log      *logrus.Entry
	listen   rpcenv.Address
	recorder *record.Recorder
	dir      string // of the record

	mu   sync.Mutex
	envs map[*rpcenv.Env]struct{} // that have not ended
}

// New makes the Stage of a process; name is that of its record. The caller closes it.
func New(spec *measure.Spec, name string) (_ *Stage, err error) {
	s := &Stage{listen: rpcenv.Address{Host: spec.ListenHost()}, log: app.NewLog(logrus.WarnLevel), envs: map[*rpcenv.Env]struct{}{}}
	// After a failure Close ends the parts that exist.
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
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
	return s, nil
}

// Listen is any free port of the address that the other side can reach.
func (s *Stage) Listen() rpcenv.Address { return s.listen }

// Env makes an Env. The zero Address is client mode, a nil Conf all default settings. It ends with the Stage, if not before.
func (s *Stage) Env(name string, listen rpcenv.Address, c *conf.Conf) (*rpcenv.Env, error) {
	e, err := rpcenv.New(s.host, rpcenv.Config{Name: name, Listen: listen, Conf: c, Log: s.log})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.envs[e] = struct{}{}
	s.mu.Unlock()
	e.OnDone(func() { // without the lock above: an Env that has ended calls it at once
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.envs, e)
	})
	return e, nil
}

// Quiet leaves warnings out of the log.
func (s *Stage) Quiet() { s.log.Logger.SetLevel(logrus.ErrorLevel) }

// Close ends the Envs side by side, then the Host, and removes the record. No Env may be made meanwhile.
func (s *Stage) Close() error {
	s.mu.Lock()
	envs := slices.Collect(maps.Keys(s.envs))
	s.mu.Unlock()
	for _, e := range envs {
		e.Shutdown()
	}
	for _, e := range envs {
		<-e.Done()
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
