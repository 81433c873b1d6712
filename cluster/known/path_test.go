package known

import (
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Each setting of a file or directory that a process of this machine reads or writes takes a file: URI and refuses others.
func TestSettingsOfPathsTakeFileURIs(t *testing.T) {
	for _, e := range []*conf.Entry[string]{
		GossipKeyFile, rpcenv.TraceDir, RESTTokenFile, RecoveryDirectory, ResourceManagerStore, NodesIncludePath, NodesExcludePath,
		scheduler.FairAllocationFile, nodemanager.NodeManagerHealthScript, WorkerResourcesFile, driver.SchedulerAllocationFile, yarnclient.YARNStagingDir,
	} {
		if got := e.Get(mustNew(t, e.Key(), "file:///a")); got != "/a" {
			t.Errorf("%s: %q", e.Key(), got)
		}
		refuses(t, e.Key(), "hdfs://h/a")
	}
	for _, e := range []*conf.Entry[[]string]{NodeManagerLocalDirs, NodeManagerLogDirs, LocalDir} {
		if got := e.Get(mustNew(t, e.Key(), "file:/a,/b,file:///c")); !slices.Equal(got, []string{"/a", "/b", "/c"}) {
			t.Errorf("%s: %q", e.Key(), got)
		}
		refuses(t, e.Key(), "/b,hdfs://h/a")
	}
	refuses(t, yarnclient.YARNStagingDir.Key(), "relative")
	refuses(t, yarnclient.YARNStagingDir.Key(), "")
}

func refuses(t *testing.T, key, value string) {
	t.Helper()
	if _, err := conf.New(map[string]string{key: value}, All()); err == nil || !strings.HasPrefix(err.Error(), key+" = ") {
		t.Errorf("%s=%s: %v", key, value, err)
	}
}
