package spark

import (
	"net/http"
	"net/url"
	"testing"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/cluster/web/webtest"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// books are an endpoint that answers with the states that the test sets, and notes its other asks.
type books struct {
	master *deploy.MasterStateResponse
	worker *deploy.WorkerStateResponse
	asked  chan rpcenv.Message
}

func (b *books) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *deploy.RequestMasterState:
		rpcenv.Reply(c, m, b.master)
		return
	case *deploy.RequestWorkerState:
		rpcenv.Reply(c, m, b.worker)
		return
	case *deploy.KillApplication:
		rpcenv.Reply(c, m, &rpc.Bool{Value: m.GetAppId() != "unknown"})
	case *deploy.RequestKillDriver:
		rpcenv.Reply(c, m, &deploy.KillDriverResponse{Success: m.GetDriverId() != "unknown", Message: "Driver unknown does not exist"})
	case *deploy.DecommissionWorkersOnHosts:
		rpcenv.Reply(c, m, &deploy.DecommissionWorkersOnHostsResponse{Count: int32(len(m.GetHostnames()))})
	default:
		c.Unsupported(m)
		return
	}
	b.asked <- m
}

// master makes the pages of a Master with a state.
func master(t *testing.T, s *deploy.MasterStateResponse, settings ...string) (http.Handler, *books) {
	b := &books{master: s, asked: make(chan rpcenv.Message, 10)}
	return MasterPages(webtest.Site(t, b, settings...)), b
}

// worker makes the pages of a Worker with a state.
func worker(t *testing.T, s *deploy.WorkerStateResponse, workDir string) http.Handler {
	return WorkerPages(webtest.Site(t, &books{worker: s}), workDir)
}

func query(pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q.Encode()
}
