package master_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
)

func TestAHeartbeatOfAWorkerThatNobodyHeardOfIsAnswered(t *testing.T) {
	k := newKit(t)
	w := k.newWorker("W1", 2, 2048)
	w.beat()
	same(t, w.Probe, &deploy.ReconnectWorker{MasterUrl: k.ref.Address.SparkURL()})
	none(t, w.Probe, time.Second)
}
