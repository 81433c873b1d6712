package master

import (
	"errors"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// The kinds of records that a Master keeps. A record's key is its kind and the id.
const (
	appPrefix    = "app_"
	driverPrefix = "driver_"
	workerPrefix = "worker_"
	termKey      = "master_term" // of a Master without an election
)

// Change is a record that a Master keeps, or its removal.
type Change struct {
	Key   string // app_ID, driver_ID, worker_ID or master_term
	Value []byte // nil: the record is removed
}

// Store keeps a Master's records over its death. It mirrors org.apache.spark.deploy.master.PersistenceEngine. Its methods
// are bodies of [rpcenv.Run], one at a time: they may do I/O.
type Store interface {
	// Load reads all records, in the order of their keys. bad says which cannot be read, and why: the rest recovers.
	Load(b *rpcenv.Blocking) (records []Change, bad []error, err error)
	// Write makes changes durable, in their order, all or none; when it returns nil they are. An error says which file or
	// peer failed and why: the Master then ends, with exit code 1, or 0 when it is an [ErrNotLeader].
	Write(b *rpcenv.Blocking, changes []Change) error
}

// ErrNotLeader is what Write returns when another Master leads: nothing failed.
var ErrNotLeader = errors.New("another Master leads")

// persist makes a change durable behind the handler: what the Master sends after it waits for that. A record is a message
// that was valid when it came; nil removes it. Without a Store it does nothing.
func (m *Master) persist(c *rpcenv.Context, key string, record proto.Message) {
	if m.journal == nil {
		return
	}
	ch := Change{Key: key}
	if record != nil {
		value, err := proto.MarshalOptions{Deterministic: true}.Marshal(record)
		if err != nil {
			panic(err) // it was made of messages that were decoded: a bug
		}
		ch.Value = append([]byte{}, value...) // an empty record is no removal
	}
	m.journal.Persist(c, ch)
}

// notDurable ends a Master that cannot write its records: the peers heard nothing of what was not written, and the next
// leader recovers what was. A Master that went on would acknowledge what a crash undoes.
func (m *Master) notDurable(c *rpcenv.Context, err error) {
	if errors.Is(err, ErrNotLeader) {
		m.revokedLeadership(c)
		return
	}
	why := "the Master cannot write its records and ends, since it must not promise what it may forget: " + err.Error()
	c.Log().Error(why)
	c.Exit(1, why)
}

func (m *Master) persistApplication(c *rpcenv.Context, a *ApplicationInfo) {
	m.persist(c, appPrefix+a.ID, &deploy.ApplicationRecord{
		Id: a.ID, Desc: a.Desc, Driver: a.Driver.Proto(), Started: a.Started.UnixMilli(),
	})
}

func (m *Master) persistDriver(c *rpcenv.Context, d *DriverInfo, launched bool) {
	m.persist(c, driverPrefix+d.ID, &deploy.DriverRecord{
		Id: d.ID, Desc: d.Desc, Submitted: d.Submitted.UnixMilli(), Launched: launched,
	})
}

// persistWorker keeps a Worker as it registered; its reference is complete.
func (m *Master) persistWorker(c *rpcenv.Context, w *WorkerInfo, r *deploy.RegisterWorker) {
	r = proto.CloneOf(r)
	r.Worker = w.Ref.Proto()
	m.persist(c, workerPrefix+w.ID, &deploy.WorkerRecord{Registration: r})
}
