package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A node that is put on the exclude list ends when the ResourceManager has read the list, and others stay.
func TestANodeIsTakenOutByTheListOfHosts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exclude := filepath.Join(dir, "exclude")
	write(t, exclude, "")
	log := &lines{to: t.Output()}
	_, rm := daemonTo(t, log, nil, append([]string{"resourcemanager", "--port", "0", "--conf", "yarn.resourcemanager.nodes.exclude-path=" + exclude}, quick...)...)
	node, _ := daemon(t, append([]string{"nodemanager", rm.URL, "--local-dirs", dir + "/local", "--log-dirs", dir + "/logs"}, quick...)...)
	log.until(t, "Node Transitioned from NEW to RUNNING")
	refresh := func(args ...string) result {
		return here(t, append([]string{"rmadmin", "refresh-nodes", "--master", rm.URL}, args...)...)
	}
	if r := refresh(); r.code != 0 {
		t.Fatalf("%d %s", r.code, r.stderr)
	}
	write(t, exclude, "127.0.0.1 # it is broken\n")
	if r := refresh("--graceful", "--timeout", "10m"); r.code != 0 || !strings.Contains(r.stdout, "The lists of hosts hold") {
		t.Fatalf("%d %s", r.code, r.stderr)
	}
	err := node.Wait()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	log.until(t, "Node Transitioned from DECOMMISSIONING to DECOMMISSIONED")
}
