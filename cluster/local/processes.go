package local

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
)

// Processes has Master, Workers and executors as processes of the operating system; what a test starts with Process, such
// as a driver, lives in the test's own and talks to them over TCP. Executors are the coherer command's: they know the jobs
// of package builtin. Of the trace there is what the test's process sees.
const Processes Kind = "processes"

// processWorld is the test's process and its children.
type processWorld struct {
	*realWorld
	starter *process.Starter

	mu       sync.Mutex
	children map[string]*child
}

// child is a daemon.
type child struct {
	process *process.Process
	code    int
	ended   bool
}

func newProcessWorld() *processWorld {
	return &processWorld{realWorld: newRealWorld(TCP, &executors{}), starter: process.NewStarter(), children: map[string]*child{}}
}

func (w *processWorld) Kind() Kind { return Processes }

func (w *processWorld) Kill(name string) error {
	w.mu.Lock()
	c := w.children[name]
	alive := c != nil && !c.ended
	w.mu.Unlock()
	switch {
	case alive:
		c.process.Kill(0)
		return nil
	case c != nil:
		return fmt.Errorf("%w: %s", ErrNoSuchProcess, name)
	}
	return w.realWorld.Kill(name)
}

func (w *processWorld) Exited(name string) (int, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.children[name]; c != nil {
		return c.code, c.ended
	}
	return w.realWorld.Exited(name)
}

func (w *processWorld) Close() error {
	err := w.realWorld.Close()
	w.starter.Close()
	return err
}

// daemon starts a daemon and waits until it is ready.
func (w *processWorld) daemon(ctx context.Context, name, binary, dir string, args ...string) (process.Ready, error) {
	c := &child{}
	var err error
	c.process, err = w.starter.Start(process.Spec{
		Path: binary, Args: args, Ready: true, Stderr: process.Output{Path: filepath.Join(dir, name+".log")},
	}, func(e rpcenv.Exit) {
		w.mu.Lock()
		c.ended, c.code = true, e.Code
		w.mu.Unlock()
		w.Wake()
	})
	if err != nil {
		return process.Ready{}, err
	}
	w.mu.Lock()
	w.children[name] = c
	w.mu.Unlock()
	return c.process.Ready(ctx)
}

// start starts the cluster's daemons.
func (w *processWorld) start(t testing.TB, cfg Config) (rpcenv.Address, error) {
	binary, err := build(t)
	if err != nil {
		return rpcenv.Address{}, err
	}
	ctx, cancel := context.WithTimeout(t.Context(), startPatience)
	defer cancel()
	dir := t.TempDir()
	args := []string{"--host", loopback, "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0"}
	for key, value := range cfg.Conf {
		args = append(args, "--conf", key+"="+value)
	}
	m, err := w.daemon(ctx, "Master", binary, dir, append([]string{"master"}, args...)...)
	if err != nil {
		return rpcenv.Address{}, err
	}
	for i := range cfg.Workers {
		name := fmt.Sprintf("Worker%d", i+1)
		own := append([]string{"worker", m.URL}, args...)
		own = append(own, "--cores", strconv.Itoa(cfg.Cores), "--memory", strconv.Itoa(cfg.MemoryMB)+"m", "--work-dir", filepath.Join(dir, name))
		if _, err := w.daemon(ctx, name, binary, dir, own...); err != nil {
			return rpcenv.Address{}, err
		}
	}
	masters, err := rpcenv.ParseMasterURL(m.URL)
	if err != nil {
		return rpcenv.Address{}, err
	}
	return masters[0], nil
}

var buildOnce sync.Mutex

// build builds the coherer command of this module; the go command's cache makes the second time cheap.
func build(t testing.TB) (string, error) {
	buildOnce.Lock()
	defer buildOnce.Unlock()
	out := filepath.Join(t.TempDir(), "coherer")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", out, "github.com/coherer/coherer/cmd/coherer")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the coherer command: %w\n%s", err, text)
	}
	return out, nil
}
