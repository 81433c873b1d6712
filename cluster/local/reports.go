package local

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
)

// report is what a Worker's process reports to the test about an executor, as a line of JSON on its stdout: that it has started,
// then that it has ended.
type report struct {
	Args  executor.Args
	PID   int
	Ended bool
	Code  int
}

// reporter writes reports of executors to out. Errors of writing do not matter: the test has ended then, and the Worker ends too.
func reporter(out io.Writer) func(executor.Args, int, <-chan rpcenv.Exit) {
	var mu sync.Mutex
	lines := json.NewEncoder(out)
	say := func(r report) { // several executors at once, and a line must stay whole
		mu.Lock()
		defer mu.Unlock()
		_ = lines.Encode(r)
	}
	return func(args executor.Args, pid int, ended <-chan rpcenv.Exit) {
		say(report{Args: args, PID: pid})
		go func() { // as long as the executor
			e := <-ended
			say(report{PID: pid, Ended: true, Code: e.Code})
		}()
	}
}

// hear reads a Worker's reports of its executors, until the Worker's end, which is theirs. Other lines are what TestMain has
// printed before it called Main.
func (w *processWorld) hear(worker io.ReadCloser) {
	defer worker.Close()
	running := map[int]*child{}
	in := bufio.NewReader(worker)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var r report
		if json.Unmarshal(line, &r) != nil || r.PID <= 0 {
			continue
		}
		if c := running[r.PID]; r.Ended && c != nil {
			delete(running, r.PID)
			c.end(r.Code)
		} else if !r.Ended {
			c := newExecutor(r.PID)
			running[r.PID] = c
			w.adopt("Exec"+r.Args.ExecutorID, c)
			w.executors.add(c, r.Args)
		}
		w.Wake()
	}
	// The Worker ended without a report of these: the kernel has killed them with it.
	for _, c := range running {
		c.end(process.Signalled + int(syscall.SIGKILL))
	}
	w.Wake()
}

// newExecutor is an executor's process, a Worker's child.
func newExecutor(pid int) *child {
	return &child{kill: func() {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it has ended already, then
		}
	}}
}
