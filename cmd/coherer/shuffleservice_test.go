package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// On YARN dynamic allocation gives an executor back that has map outputs, since its NodeManager serves them. The second job gets another
// executor, which reads them there: no map task runs again.
func TestANodeManagerServesTheOutputsOfExecutorsThatWereGivenBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	marks, fifo, program := filepath.Join(dir, "marks"), filepath.Join(dir, "fifo"), filepath.Join(dir, "sumtwice")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./testdata/sumtwice").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	_, rm := daemon(t, append([]string{"resourcemanager", "--port", "0"}, quick...)...)
	log := &lines{to: t.Output()}
	daemonTo(t, log, nil, append([]string{
		"nodemanager", rm.URL, "--local-dirs", dir + "/local", "--log-dirs", dir + "/logs",
		"--conf", "yarn.nodemanager.aux-services=spark_shuffle", "--conf", "spark.shuffle.service.port=0",
	}, quick...)...)
	submit := command(t, append(append([]string{"submit", "--master", rm.URL, "--queue", "root.a"}, quick...),
		"--conf", "spark.shuffle.service.enabled=true", "--conf", "spark.dynamicAllocation.enabled=true",
		"--conf", "spark.dynamicAllocation.maxExecutors=1", "--conf", "spark.dynamicAllocation.executorIdleTimeout=1s",
		"--conf", "spark.yarn.stagingDir="+dir, program, marks, fifo)...)
	var out bytes.Buffer
	submit.Stdout, submit.Stderr = &out, t.Output()
	if err := submit.Start(); err != nil {
		t.Fatal(err)
	}
	log.until(t, "_000002 transitioned from CONTAINER_CLEANEDUP_AFTER_KILL to DONE") // the executor
	if err := os.WriteFile(fifo, []byte("go on"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := submit.Wait(); err != nil || out.String() != "3 keys, 499500\n3 keys, 499500\n" {
		t.Errorf("%v, it printed %q", err, out.String())
	}
	if text, err := os.ReadFile(marks); err != nil || len(text) != 4 {
		t.Errorf("%d map tasks ran, want 4: %v", len(text), err)
	}
}
