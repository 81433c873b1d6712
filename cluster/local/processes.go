package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/program"
)

// Processes has Master, Workers and executors as processes of the operating system: the test's own program again, so that
// executors know the jobs that it defines. The package's TestMain calls [Main] for that. What a test starts with Process, such as
// a driver, lives in the test's own process and talks to them over TCP. The trace has what the test's process sees.
const Processes Kind = "processes"

// processWorld is the test's process and its children.
type processWorld struct {
	*realWorld
	starter  *process.Starter
	transfer app.Transfer   // executors have ports for their blocks
	hearing  sync.WaitGroup // of the goroutines that read the reports of daemons

	mu       sync.Mutex
	children map[string]*child
	served   []*app.DriverBlocks
}

// child is a daemon's process, or an executor's.
type child struct {
	kill func()

	mu    sync.Mutex
	code  int
	ended bool
}

// end notes that the process has ended.
func (c *child) end(code int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended, c.code = true, code
}

// Exited reports whether the process has ended.
func (c *child) Exited() (code int, ended bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.code, c.ended
}

func newProcessWorld() *processWorld {
	return &processWorld{realWorld: newRealWorld(TCP), starter: process.NewStarter(), transfer: app.NewTransfer(), children: map[string]*child{}}
}

func (w *processWorld) Kind() Kind { return Processes }

// Files are those of the system.
func (w *processWorld) Files() rdd.OutputFS { return app.Files{} }

func (w *processWorld) Transfer() storage.Transfer { return w.transfer }

// adopt gives a child its name; an earlier child of that name loses it.
func (w *processWorld) adopt(name string, c *child) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.children[name] = c
}

func (w *processWorld) child(name string) *child {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.children[name]
}

func (w *processWorld) Kill(name string) error {
	c := w.child(name)
	if c == nil {
		return w.realWorld.Kill(name)
	}
	if _, ended := c.Exited(); ended {
		return fmt.Errorf("%w: %s", ErrNoSuchProcess, name)
	}
	c.kill()
	return nil
}

func (w *processWorld) Exited(name string) (int, bool) {
	if c := w.child(name); c != nil {
		return c.Exited()
	}
	return w.realWorld.Exited(name)
}

func (w *processWorld) Close() error {
	err := w.realWorld.Close()
	w.starter.Close()
	w.hearing.Wait() // it ends with the pipes of the daemons, so after them
	for _, s := range w.served {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, w.transfer.Close())
}

// daemon starts a daemon and waits until it is ready.
func (w *processWorld) daemon(ctx context.Context, name, word, dir string, r role) (process.Ready, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return process.Ready{}, err
	}
	_, self, err := program.Self()
	if err != nil {
		return process.Ready{}, err
	}
	heard, reports, err := os.Pipe()
	if err != nil {
		return process.Ready{}, err
	}
	c := &child{}
	p, err := w.starter.Start(process.Spec{
		Path: self, Args: []string{word}, Env: []string{roleVar + "=" + string(text)}, Ready: true,
		Stdout: process.Output{File: reports}, Stderr: process.Output{Path: filepath.Join(dir, name+".log")},
	}, func(e rpcenv.Exit) {
		c.end(e.Code)
		w.Wake()
	})
	// The child has its own copy. While this one is open, hear would never see the child's end.
	if err := errors.Join(err, reports.Close()); err != nil {
		return process.Ready{}, errors.Join(err, heard.Close())
	}
	w.hearing.Go(func() { w.hear(heard) })
	c.kill = func() { p.Kill(0) }
	w.adopt(name, c)
	return p.Ready(ctx)
}

// start starts the cluster's daemons, whose files are in dir.
func (w *processWorld) start(t testing.TB, cfg Config, dir string) (rpcenv.Address, error) {
	if !entered {
		return rpcenv.Address{}, errNotEntered
	}
	if cfg.Masters > 1 || cfg.Store != nil {
		return rpcenv.Address{}, errors.New("local: a cluster of the kind Processes has one Master, whose records are where " +
			master.RecoveryMode.Key() + " says: leave out Masters and Store")
	}
	ctx, cancel := context.WithTimeout(t.Context(), startPatience)
	defer cancel()
	// The Master's URL is in its ready line, so the Workers come after it.
	m, err := w.daemon(ctx, "Master", "master", dir, role{Conf: cfg.Conf})
	if err != nil {
		return rpcenv.Address{}, err
	}
	for i := range cfg.Workers {
		name := fmt.Sprintf("Worker%d", i+1)
		r := role{Conf: cfg.Conf, Master: m.URL, Cores: cfg.Cores, MemoryMB: cfg.MemoryMB, WorkDir: filepath.Join(dir, name)}
		if _, err := w.daemon(ctx, name, "worker", dir, r); err != nil {
			return rpcenv.Address{}, err
		}
	}
	masters, err := rpcenv.ParseMasterURL(m.URL)
	if err != nil {
		return rpcenv.Address{}, err
	}
	return masters[0], nil
}
