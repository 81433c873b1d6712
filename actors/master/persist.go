package master

import (
	"errors"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/records"
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

// persist makes a change durable behind the handler: what the Master sends after it waits for that. A record is a message
// that was valid when it came; nil removes it. Without a Store it does nothing.
func (m *Master) persist(c *rpcenv.Context, key string, record proto.Message) {
	if m.journal == nil {
		return
	}
	ch := records.Change{Key: key}
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
	if errors.Is(err, records.ErrNotLeader) {
		m.revokedLeadership(c)
		return
	}
	c.Exit(1, "the Master cannot write its records and ends, since it must not promise what it may forget: "+err.Error())
}

func (m *Master) persistApplication(c *rpcenv.Context, a *applicationInfo) {
	m.persist(c, appPrefix+a.ID, &deploy.ApplicationRecord{
		Id: a.ID, Desc: a.Desc, Driver: a.Driver.Proto(), Started: a.Started.UnixMilli(),
	})
}

func (m *Master) persistDriver(c *rpcenv.Context, d *driverInfo, launched bool) {
	m.persist(c, driverPrefix+d.ID, &deploy.DriverRecord{
		Id: d.ID, Desc: d.Desc, Submitted: d.Submitted.UnixMilli(), Launched: launched,
	})
}

// persistWorker keeps a Worker as it registered; its reference is complete.
func (m *Master) persistWorker(c *rpcenv.Context, w *workerInfo, r *deploy.RegisterWorker) {
	r = proto.CloneOf(r)
	r.Worker = w.Ref.Proto()
	m.persist(c, workerPrefix+w.ID, &deploy.WorkerRecord{Registration: r})
}
