package master_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
)

func TestManyRegistrationsAreOneWrite(t *testing.T) {
	k, s := lasting(t)
	k.isIn("ALIVE")
	s.latency, s.writes = time.Second, 0
	var ws []*worker
	for range 50 {
		w := k.newWorker("W", 1, 1024)
		w.reg.Id += w.Ref.Address.String()
		w.Send(k.ref, w.reg)
		ws = append(ws, w)
	}
	for _, w := range ws {
		next[*deploy.RegisteredWorker](t, w.Probe)
	}
	if s.writes > 3 || len(s.keys()) != 50 {
		t.Errorf("%d writes of %d records", s.writes, len(s.keys()))
	}
}
