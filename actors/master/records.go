package master

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// left is what the leadership before left, in the order of its records.
type left struct {
	term    uint64
	apps    []*deploy.ApplicationRecord
	workers []*deploy.WorkerRecord
	drivers []*deploy.DriverRecord
}

func (l *left) empty() bool { return len(l.apps)+len(l.workers)+len(l.drivers) == 0 }

// restore decodes records. It reports one that it cannot decode and leaves it where it is; the rest recovers (SPARK-20305).
func (m *Master) restore(c *rpcenv.Context, kept []records.Change) *left {
	l := &left{}
	for _, r := range kept {
		if err := l.add(r); err != nil {
			m.badRecord(c, fmt.Errorf("record %s: %w", r.Key, err))
		}
	}
	return l
}

func (m *Master) badRecord(c *rpcenv.Context, err error) {
	c.Log().Errorf("A record is bad and is not recovered: %v", err)
	m.failed(c, failedRecord, "", "", "BAD", err.Error())
}

// add takes one record; an error says what is wrong with it.
func (l *left) add(r records.Change) error {
	switch {
	case r.Key == termKey:
		return l.addTerm(r)
	case strings.HasPrefix(r.Key, appPrefix):
		return l.addApplication(r)
	case strings.HasPrefix(r.Key, workerPrefix):
		return l.addWorker(r)
	case strings.HasPrefix(r.Key, driverPrefix):
		return l.addDriver(r)
	}
	return errors.New("the kind of this record is unknown")
}

func (l *left) addTerm(r records.Change) error {
	var t deploy.TermRecord
	if err := proto.Unmarshal(r.Value, &t); err != nil {
		return err
	}
	l.term = t.GetTerm()
	return nil
}

func (l *left) addApplication(r records.Change) error {
	a := &deploy.ApplicationRecord{}
	if err := proto.Unmarshal(r.Value, a); err != nil {
		return err
	}
	if problem := badApplication(a.GetDesc()); problem != "" {
		return errors.New(problem)
	}
	if err := check(r.Key, appPrefix+a.GetId(), a.GetDriver()); err != nil {
		return err
	}
	l.apps = append(l.apps, a)
	return nil
}

func (l *left) addWorker(r records.Change) error {
	w := &deploy.WorkerRecord{}
	if err := proto.Unmarshal(r.Value, w); err != nil {
		return err
	}
	reg := w.GetRegistration()
	if problem := badWorker(reg); problem != "" {
		return errors.New(problem)
	}
	if err := check(r.Key, workerPrefix+reg.GetId(), reg.GetWorker()); err != nil {
		return err
	}
	l.workers = append(l.workers, w)
	return nil
}

func (l *left) addDriver(r records.Change) error {
	d := &deploy.DriverRecord{}
	if err := proto.Unmarshal(r.Value, d); err != nil {
		return err
	}
	if r.Key != driverPrefix+d.GetId() || d.GetDesc() == nil {
		return errors.New("it is no record of that driver")
	}
	l.drivers = append(l.drivers, d)
	return nil
}

// check compares a record with its key, and refuses a reference to which no message can be sent.
func check(key, want string, ref *rpc.EndpointRef) error {
	if key != want {
		return fmt.Errorf("it is the record %s", want)
	}
	if problem := badPeer(ref); problem != "" {
		return errors.New(problem)
	}
	return nil
}

// badPeer is what is wrong with the reference of a Worker or a driver, or "": the next Master has to call it.
func badPeer(ref *rpc.EndpointRef) string {
	if ref.GetName() == "" || rpcenv.AddressOf(ref.GetAddress()).IsZero() {
		return "it has no reference to an endpoint that listens"
	}
	return ""
}
