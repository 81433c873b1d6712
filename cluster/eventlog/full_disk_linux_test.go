package eventlog_test

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/rpctest/smalldisk"
)

// A full disk fails a call of Write, which the driver answers by giving the log up.
func TestAFullDisk(t *testing.T) {
	dir := smalldisk.Dir(t, "size=1m")
	w := writer(t, dir, "spark.eventLog.compress", "false")
	do(t, w.Start("app-1"))
	smalldisk.Fill(t, dir)
	lines := [][]byte{[]byte(strings.Repeat("x", 1<<20) + "\n")}
	if err := w.Write(lines); err == nil || !strings.Contains(err.Error(), "event log: write "+dir) || !strings.Contains(err.Error(), "no space left") {
		t.Error(err)
	}
}
