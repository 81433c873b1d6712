package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// maxBuildOutput bounds the part of the compiler's output that is kept.
const maxBuildOutput = 64 << 10

// BuildMain builds the package main in the directory dir with the go command and writes the program to out. It mirrors
// what spark-submit expects to have happened: an application that is a file. The error of a package that does not compile
// is the compiler's whole output, cut at 64 KiB. When ctx ends the build is killed, and leaves no file.
func BuildMain(ctx context.Context, dir, out string) error {
	pkg, err := build.ImportDir(dir, 0)
	switch {
	case err != nil:
		return fmt.Errorf("build %s: %w: name a directory with a Go package main", dir, err)
	case pkg.Name != "main":
		return fmt.Errorf("build %s: package %s is no program: name a directory with a Go package main", dir, pkg.Name)
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return fmt.Errorf("build %s: there is no go command: install Go and put it into PATH, or name a program that is built already: %w", dir, err)
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return fmt.Errorf("build %s: %w", dir, err)
	}

	// A go command that is killed leaves its work files. They are in a folder that goes with this call.
	tmp, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "coherer-build-")
	if err != nil {
		return fmt.Errorf("build %s: %w", dir, err)
	}
	defer os.RemoveAll(tmp)
	cmd := exec.CommandContext(ctx, goCommand, "build", "-o", out, ".")
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GOTMPDIR="+tmp)
	cmd.SysProcAttr = childAttr()
	// The go command has compilers below it: the group is killed, and processes that left it and hold the pipe are not waited for.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	output := &head{limit: maxBuildOutput}
	cmd.Stdout, cmd.Stderr = output, output

	// The child dies with the thread that forked it, so this goroutine keeps its thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = cmd.Run()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("build %s: %w", dir, context.Cause(ctx))
	case errors.As(err, &failed):
		return fmt.Errorf("build %s: it does not compile:\n%s", dir, output.String())
	}
	return fmt.Errorf("build %s: %w", dir, explain(err))
}

// head is a Writer that keeps the beginning of what is written.
type head struct {
	buf   bytes.Buffer
	limit int
	cut   bool
}

func (h *head) Write(p []byte) (int, error) {
	room := h.limit - h.buf.Len()
	h.cut = h.cut || room < len(p)
	h.buf.Write(p[:min(room, len(p))])
	return len(p), nil
}

func (h *head) String() string {
	s := string(bytes.TrimRight(h.buf.Bytes(), "\n"))
	if h.cut {
		s += "\n... (cut)"
	}
	return s
}
