package node

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// TestTheFacesOfYARN: a ResourceManager and a NodeManager serve pages, and the one links the other's.
func TestTheFacesOfYARN(t *testing.T) {
	rm, _ := runDaemon(t, nil, RunResourceManager)
	at, err := rpcenv.ParseProcessURL(rm.URL)
	if err != nil {
		t.Fatal(err)
	}
	code, text := fetch(t, http.MethodGet, rm.UI+"/ws/v1/cluster/info", "")
	var info struct {
		ClusterInfo struct{ State, HAState string }
	}
	if err := json.Unmarshal([]byte(text), &info); err != nil || code != http.StatusOK || info.ClusterInfo.State != "STARTED" || info.ClusterInfo.HAState != "ACTIVE" {
		t.Errorf("%d %s %v", code, text, err)
	}
	if code, text := fetch(t, http.MethodGet, rm.UI+"/ws/v1/cluster/scheduler", ""); code != http.StatusOK || !strings.Contains(text, `"rootQueue":{"maxApps":`) || !json.Valid([]byte(text)) {
		t.Errorf("%d %s", code, text)
	}
	if code, text := fetch(t, http.MethodGet, rm.UI+"/", ""); code != http.StatusOK || !strings.Contains(text, "fairScheduler") || !strings.Contains(text, "<td>root</td>") || !strings.Contains(text, "<td>test (leads)</td>") {
		t.Errorf("%d %s", code, text)
	}
	dirs := t.TempDir()
	nm, _ := runDaemon(t, nil, func(ctx context.Context, o Options) error {
		return RunNodeManager(ctx, NodeManagerOptions{Options: o, ResourceManager: at[0], LocalDirs: []string{dirs + "/local"}, LogDirs: []string{dirs + "/logs"}})
	})
	for _, d := range []process.Ready{rm, nm} {
		if !strings.HasPrefix(d.URL, "yarn://127.0.0.1:") {
			t.Errorf("a daemon of YARN says %s", d.URL)
		}
	}
	if code, text := fetch(t, http.MethodGet, nm.UI+"/node", ""); code != http.StatusOK || !strings.Contains(text, at[0].String()) || !strings.Contains(text, "8 cores used") || !strings.Contains(text, "<td>test</td>") {
		t.Errorf("%d %s", code, text)
	}
	if code, _ := fetch(t, http.MethodGet, nm.UI+"/metrics", ""); code != http.StatusOK {
		t.Errorf("%d", code)
	}
}

func TestAWebappAddressThatIsNone(t *testing.T) {
	c, err := conf.New(map[string]string{"yarn.resourcemanager.webapp.address": "nowhere"}, known.All())
	if err != nil {
		t.Fatal(err)
	}
	log := logrus.New()
	log.SetOutput(t.Output())
	err = RunResourceManager(t.Context(), Options{Role: "test", Listen: rpcenv.Address{Host: "127.0.0.1"}, Conf: c, Log: logrus.NewEntry(log)})
	if err == nil || !strings.Contains(err.Error(), "yarn.resourcemanager.webapp.address") {
		t.Error(err)
	}
}
