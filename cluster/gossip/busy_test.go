package gossip_test

import (
	"crypto/sha256"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// busyVar makes the test's own program one that only computes.
const busyVar = "COHERER_TEST_BUSY"

// compute keeps a core busy until the program that started this one ends, or closes its stdin.
func compute() {
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	var sum [sha256.Size]byte
	for {
		select {
		case <-ended:
			return
		default:
			sum = sha256.Sum256(sum[:])
		}
	}
}

// busy keeps the machine busy with two processes for each core until idle is called, or the test ends.
func busy(tb testing.TB) (idle func()) {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	var ends []func()
	idle = func() {
		for _, end := range ends {
			end()
		}
		ends = nil
	}
	tb.Cleanup(func() { idle() })
	for range 2 * runtime.NumCPU() {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), busyVar+"=1")
		in, err := cmd.StdinPipe()
		if err != nil {
			tb.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			tb.Fatal(err)
		}
		ends = append(ends, func() {
			_ = in.Close()
			_ = cmd.Wait() // it ends with the pipe
		})
	}
	return idle
}
