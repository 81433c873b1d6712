package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/actors/yarnclient/distcache"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Executors get the files that the client staged for them, as its settings list them: each with the size and the time that it had. They
// get no archive of settings: they ask their driver.
func TestExecutorsGetWhatTheClientStaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache.properties")
	pairs := distcache.Settings([]distcache.Entry{
		{Link: "__app__.jar", URI: "file:/s/__app__.jar", Size: 3, Timestamp: 9, Type: yarn.LocalResourceType_FILE, Visibility: yarn.LocalResourceVisibility_PUBLIC},
		{Link: "z", URI: "file:/s/z.zip", Size: 4, Timestamp: 8, Type: yarn.LocalResourceType_ARCHIVE, Visibility: yarn.LocalResourceVisibility_PRIVATE},
	})
	pairs = append(pairs, conf.Pair{Key: distcache.ConfArchive, Value: "file:/s/__spark_conf__.zip"})
	if err := os.WriteFile(path, []byte(conf.FormatProperties(pairs)), 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := findMaster(true, applicationmaster.Args{Properties: containerSettings(t, nil), DistCache: path}, rpcenv.NoLog())
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := x.Config()
	got := cfg.LocalResources
	if err != nil || len(got) != 2 {
		t.Fatal(got, err)
	}
	if r := got[0].GetValue(); got[0].GetKey() != "__app__.jar" || r.GetResource().GetFile() != "/s/__app__.jar" || r.GetSize() != 3 || r.GetTimestamp() != 9 ||
		r.GetType() != yarn.LocalResourceType_FILE || r.GetVisibility() != yarn.LocalResourceVisibility_PUBLIC {
		t.Error(got[0])
	}
	if r := got[1].GetValue(); got[1].GetKey() != "z" || r.GetType() != yarn.LocalResourceType_ARCHIVE || r.GetVisibility() != yarn.LocalResourceVisibility_PRIVATE {
		t.Error(got[1])
	}
	if _, err := findMaster(true, applicationmaster.Args{Properties: containerSettings(t, nil), DistCache: path + "x"}, rpcenv.NoLog()); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file that is missing was read")
	}
}

// containerSettings makes this process one of a container, with its file of settings.
func containerSettings(t *testing.T, settings map[string]string) string {
	t.Helper()
	t.Setenv(containerVar, ids.Container{Attempt: testAttempt, Seq: 1}.String())
	var pairs []conf.Pair
	for key, value := range settings {
		pairs = append(pairs, conf.Pair{Key: key, Value: value})
	}
	path := filepath.Join(t.TempDir(), "conf.properties")
	if err := os.WriteFile(path, []byte(conf.FormatProperties(pairs)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What a NodeManager and the client left in the container's variables; executors get those that begin with SPARK.
func TestWhatAnApplicationMasterFindsInItsContainer(t *testing.T) {
	t.Setenv("NM_HOST", "h7")
	t.Setenv("APPLICATION_WEB_PROXY_BASE", "/proxy/a")
	t.Setenv(yarnclient.StagingVar, "file:/home/u/.sparkStaging/a")
	t.Setenv("SPARK_USER", "ada")
	settings := map[string]string{"spark.hadoop.yarn.resourcemanager.address": "10.0.0.1:8032"}
	for _, keep := range []string{"false", "true"} {
		settings["spark.yarn.preserve.staging.files"] = keep
		x, err := findMaster(true, applicationmaster.Args{Properties: containerSettings(t, settings)}, rpcenv.NoLog())
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := x.Config()
		if err != nil || cfg.Host != "h7" || cfg.ProxyBase != "/proxy/a" || cfg.ResourceManager.String() != "10.0.0.1:8032" || cfg.Attempt != testAttempt {
			t.Errorf("%+v %v", cfg, err)
		}
		if kept := cfg.Staging == nil; kept != (keep == "true") {
			t.Errorf("preserve is %s: %v", keep, cfg.Staging)
		}
		found := ""
		for _, v := range cfg.Environment {
			if !strings.HasPrefix(v.GetKey(), "SPARK") {
				t.Error(v)
			}
			found += v.GetKey() + "=" + v.GetValue() + " "
		}
		if !strings.Contains(found, "SPARK_USER=ada ") || !strings.Contains(found, yarnclient.StagingVar+"=file:/home/u/.sparkStaging/a ") {
			t.Error(found)
		}
	}
}

// In a container an executor's blocks lie in the directories that its NodeManager names.
func TestTheDirectoriesOfAContainer(t *testing.T) {
	t.Setenv("SPARK_EXECUTOR_DIRS", "")
	t.Setenv("LOCAL_DIRS", "/a:1,/b")
	if got := executorDirs(); len(got) > 0 {
		t.Errorf("outside of a container: %q", got)
	}
	t.Setenv(containerVar, "container_1767225600000_0007_01_000001")
	if got := executorDirs(); !slices.Equal(got, []string{"/a:1", "/b"}) {
		t.Errorf("in a container: %q", got)
	}
	t.Setenv("SPARK_EXECUTOR_DIRS", "/c:/d")
	if got := executorDirs(); !slices.Equal(got, []string{"/c", "/d"}) {
		t.Errorf("of a Worker: %q", got)
	}
}
