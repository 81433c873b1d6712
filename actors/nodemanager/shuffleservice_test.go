package nodemanager

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// The shuffle service hears of an application whose launch context has data for it, and gives it up before the node removes its
// directories, which it does also when the service fails.
func TestTheShuffleServiceHearsOfApplications(t *testing.T) {
	begins := []string{"begins " + app1.String()}
	for name, c := range map[string]struct {
		key     string // of the launch context's data
		failure error
		begins  []string
	}{
		"with data for it":      {"spark_shuffle", nil, begins},
		"with data for another": {"other", nil, nil},
		"a service that fails":  {"spark_shuffle", errors.New("no"), begins},
	} {
		k := newKit(t)
		f := &fakes{}
		k.join(Config{ShuffleOutputs: struct{ shuffleservice.Outputs }{}, Containers: dirs{f}}, map[string]string{"yarn.nodemanager.aux-services": "spark_shuffle,other"})
		k.w.ProbeIn(k.env, shuffleservice.Name).On(func(x *rpcenv.Context, m rpcenv.Message) bool {
			switch m := m.(type) {
			case shuffleservice.InitializeApplication:
				f.log = append(f.log, "begins "+m.App)
			case shuffleservice.StopApplication:
				f.log = append(f.log, "ends "+m.App)
				if c.failure != nil {
					rpcenv.Fail(x, m, c.failure)
				} else {
					rpcenv.Reply(x, m, &rpc.Bool{Value: true})
				}
			default:
				t.Errorf("%s: %v", name, m)
			}
			return true
		})
		k.running(1, &yarn.ContainerLaunchContext{Command: []string{"prog"}, ServiceData: []*yarn.StringBytesMap{{Key: c.key}}})
		gone := "remove application ann " + app1.String()
		k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
		k.w.Until("the removal", func() bool { return f.count(gone) > 0 })
		got := slices.DeleteFunc(f.log, func(line string) bool { return !strings.HasSuffix(line, " "+app1.String()) })
		if want := append(slices.Clone(c.begins), "ends "+app1.String(), gone); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
