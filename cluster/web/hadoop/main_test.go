package hadoop

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// books are an endpoint that answers with the states that the test sets.
type books struct {
	rm  *yarn.ResourceManagerStateResponse
	why *yarn.ApplicationRefusals
	nm  *yarn.NodeManagerStateResponse
}

func (b *books) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *yarn.RequestResourceManagerState:
		rpcenv.Reply(c, m, b.rm)
	case *yarn.RequestApplicationRefusals:
		rpcenv.Reply(c, m, b.why)
	case *yarn.RequestNodeManagerState:
		rpcenv.Reply(c, m, b.nm)
	default:
		c.Unsupported(m)
	}
}
