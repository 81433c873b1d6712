package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv/conf"
)

func TestBlocksLieInTheDirectoriesThatTheWorkerNames(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	dirs, warnings, err := makeLocalDirs([]string{a, filepath.Join(a, "gone"), b})
	if err != nil || len(dirs) != 2 || filepath.Dir(dirs[0]) != a || filepath.Dir(dirs[1]) != b || len(warnings) != 1 {
		t.Errorf("%v %v %v", dirs, warnings, err)
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if err := removeLocalDirs(dirs); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dirs[0]); err == nil {
		t.Error("it is left behind")
	}
	if dirs, _, err := makeLocalDirs(nil); err != nil || len(dirs) != 1 || dirs[0] != "." {
		t.Errorf("without a list: %v %v", dirs, err)
	}
	if _, _, err := makeLocalDirs([]string{filepath.Join(a, "gone")}); err == nil || !strings.Contains(err.Error(), "failed to create any local dir") {
		t.Error(err)
	}
}

func TestVariablesBecomeLogURLsAndAttributes(t *testing.T) {
	t.Setenv("SPARK_LOG_URL_STDOUT", "http://h/stdout")
	t.Setenv("SPARK_LOG_URL_STDERR", "http://h/stderr")
	t.Setenv("SPARK_EXECUTOR_ATTRIBUTE_rack", "r1")
	urls, attributes := variables("SPARK_LOG_URL_", strings.ToLower), variables("SPARK_EXECUTOR_ATTRIBUTE_", strings.ToUpper)
	got := ""
	for _, p := range append(urls, attributes...) {
		got += fmt.Sprintf("%s=%s ", p.GetKey(), p.GetValue())
	}
	if want := "stderr=http://h/stderr stdout=http://h/stdout RACK=r1 "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAResourcesFileThatIsNoneIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte(`[{"id":{"componentName":"spark.executor","resourceName":"gpu"},"addresses":["0","1"]}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := readResources(path); err != nil || len(r) != 1 || len(r[0].GetAddresses()) != 2 {
		t.Error(r, err)
	}
	if r, err := readResources(""); err != nil || r != nil {
		t.Error(r, err)
	}
	for _, bad := range []string{filepath.Dir(path), path + "x"} {
		if _, err := readResources(bad); err == nil || !strings.HasPrefix(err.Error(), "--resourcesFile") {
			t.Error(err)
		}
	}
}

func TestDecommissionSignalsAreThoseOfTheSetting(t *testing.T) {
	settings := func(pairs map[string]string) *conf.Conf {
		c, err := conf.New(pairs, known.All())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if signals, err := DecommissionSignals(settings(nil), worker.WorkerDecommissionSignal); signals != nil || err != nil {
		t.Error("it is off:", signals, err)
	}
	enabled := map[string]string{"spark.decommission.enabled": "true", "spark.worker.decommission.signal": "NONE"}
	if _, err := DecommissionSignals(settings(enabled), worker.WorkerDecommissionSignal); err == nil || !strings.Contains(err.Error(), "SIGNONE: name another") {
		t.Error(err)
	}
	enabled["spark.worker.decommission.signal"] = "USR2"
	signals, err := DecommissionSignals(settings(enabled), worker.WorkerDecommissionSignal)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Kill(os.Getpid(), unix.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	if s := <-signals; s != unix.SIGUSR2 {
		t.Error(s)
	}
}
