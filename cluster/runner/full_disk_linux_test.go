package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// A client's answer stands, though its trace did not fit: that is a warning.
func TestAClientWhoseTraceDoesNotFitWarns(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/dev/full", filepath.Join(dir, "driverClient.trace")); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	err := CallMasters(t.Context(), map[string]string{conf.TraceDir.Key(): dir}, driverclient.Config{
		Masters: []rpcenv.Address{{Host: "127.0.0.1", Port: 1}}, Status: "driver-1",
	}, &stdout, &stderr)
	var exit *node.ExitError
	if !errors.As(err, &exit) || strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v, want an exit code alone", err)
	}
	if !strings.Contains(stderr.String(), "warning: ") || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("stderr %q", stderr.String())
	}
}
