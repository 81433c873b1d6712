package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAResourceManagerThatIsKilledFindsItsClusterAgain: kill -9 while an application runs, the same command again, and the
// application ends well under the id that it had.
func TestAResourceManagerThatIsKilledFindsItsClusterAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := append([]string{
		"resourcemanager", "--conf", "yarn.resourcemanager.recovery.enabled=true",
		"--conf", "yarn.resourcemanager.fs.state-store.uri=" + filepath.Join(dir, "records"),
		"--conf", "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms=100",
	}, quick...)
	log := &lines{to: t.Output()}
	m, rm := daemonTo(t, log, nil, slices.Concat(args, []string{"--port", "0"})...)
	address := strings.TrimPrefix(rm.URL, "yarn://")
	retry := []string{"--conf", "yarn.resourcemanager.connect.retry-interval.ms=200"}
	_, _ = daemon(t, slices.Concat([]string{"nodemanager", address, "--local-dirs", dir + "/local", "--log-dirs", dir + "/logs"}, quick, retry)...)
	submit := command(t, slices.Concat([]string{
		"submit", "--master", "yarn", "--deploy-mode", "cluster", "--queue", "a",
		"--conf", "spark.hadoop.yarn.resourcemanager.address=" + address, "--conf", "spark.yarn.stagingDir=" + dir,
		"--conf", "spark.hadoop.yarn.resourcemanager.connect.retry-interval.ms=200",
	}, quick, []string{"sleep", "--tasks", "6", "--task-time", "1s"})...)
	ended := make(chan result, 1)
	go func() { ended <- finish(t, submit) }()
	log.until(t, "from LAUNCHED to RUNNING on event = REGISTERED")
	if err := m.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := m.Wait(); err == nil {
		t.Error("the killed ResourceManager ended well")
	}
	again := &lines{to: t.Output()}
	_, _ = daemonTo(t, again, nil, slices.Concat(args, []string{"--port", address[strings.LastIndex(address, ":")+1:]})...)
	again.until(t, "from LAUNCHED to RUNNING on event = REGISTERED") // the ApplicationMaster came back
	if r := <-ended; r.code != 0 {
		t.Errorf("the application: %d %s", r.code, r.stderr)
	}
	if !strings.Contains(again.String(), "epoch 1") || strings.Contains(again.String(), "_000002 State change") {
		t.Error("the second ResourceManager did not go on, or began another attempt")
	}
}
