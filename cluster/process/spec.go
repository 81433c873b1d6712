package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/coherer/coherer/rpcenv/parent"
)

// Spec says what to start. It is looked at during [Starter.Start] only.
type Spec struct {
	// Path is the program's file. It is not searched for in PATH; a relative one is taken from this process's directory.
	Path string
	// Args are the arguments without the program's name.
	Args []string
	// Env holds NAME=value entries beside the environment of this process, over which they win.
	Env []string
	// Dir is the directory that the process starts in, which must exist; empty: that of this process.
	Dir string
	// Stdin is what the process reads; nil is nothing. It stays the caller's.
	Stdin *os.File
	// Stdout and Stderr say where the output goes; the zero Output is nowhere.
	Stdout, Stderr Output
	// StderrPreamble is written to Stderr before the process starts; see [ExecutorPreamble].
	StderrPreamble string
	// Ready appends "--ready-fd=N" to Args, for a daemon that reports there. [Process.Ready] waits for the report.
	Ready bool
}

// Output is where the output of a process goes: to the end of the file named Path, which is made if it is missing, or to
// an open File, which stays the caller's. At most one is set.
type Output struct {
	Path string
	File *os.File
	// Rolling begins a new file at Path now and then: the process then writes to a pipe of this process, which copies.
	// nil: the process has the file itself.
	Rolling *Rolling
}

// ExecutorPreamble is what stands at the top of an executor's stderr, in the words of Spark's ExecutorRunner.
func ExecutorPreamble(path string, args []string) string {
	return preamble("Spark Executor Command:", path, args)
}

// DriverPreamble is what stands at the top of a driver's stderr in cluster mode, in the words of Spark's DriverRunner.
func DriverPreamble(path string, args []string) string {
	return preamble("Launch Command:", path, args)
}

func preamble(what, path string, args []string) string {
	var b strings.Builder
	b.WriteString(what)
	for _, word := range append([]string{path}, args...) {
		b.WriteString(` "` + word + `"`)
	}
	return b.String() + "\n" + strings.Repeat("=", 40) + "\n\n"
}

// validate reports all that is wrong with s itself; the operating system reports the rest at the start.
func (s *Spec) validate() error {
	var errs []error
	if s.Path == "" {
		errs = append(errs, errors.New("no program is named"))
	}
	if s.Stdout.Path != "" && s.Stdout.File != nil || s.Stderr.Path != "" && s.Stderr.File != nil {
		errs = append(errs, errors.New("an output is both a path and an open file"))
	}
	if s.Stdout.Rolling != nil && s.Stdout.Path == "" || s.Stderr.Rolling != nil && s.Stderr.Path == "" {
		errs = append(errs, errors.New("an output that rolls over wants a path"))
	}
	if s.StderrPreamble != "" && s.Stderr == (Output{}) {
		errs = append(errs, errors.New("a preamble wants a place for stderr"))
	}
	// The system's own error would be "invalid argument", without the word.
	for _, word := range append(append([]string{s.Path, s.Dir}, s.Args...), s.Env...) {
		if strings.ContainsRune(word, 0) {
			errs = append(errs, fmt.Errorf("%q contains a NUL byte", word))
		}
	}
	return errors.Join(errs...)
}

// environ is the environment of the child, without the variable that names this process's own pipe to its parent.
func (s *Spec) environ() []string {
	var env []string
	for _, entry := range append(os.Environ(), s.Env...) { // of two with one name the last counts
		if !strings.HasPrefix(entry, parent.FDVar+"=") {
			env = append(env, entry)
		}
	}
	return append(env, fmt.Sprintf("%s=%d", parent.FDVar, ParentFD))
}

// open returns the file to write to, or nil, and a function that closes it if open opened it.
func (o Output) open() (*os.File, func(), error) {
	if o.Path == "" {
		return o.File, func() {}, nil
	}
	f, err := os.OpenFile(o.Path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("open output: %w", explain(err))
	}
	return f, func() { f.Close() }, nil
}

// size is how much of the file is written, 0 when that has no meaning.
func size(f *os.File) int64 {
	if f == nil {
		return 0
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// program finds out whether the file at path can be executed, for an error that says more than the kernel's.
func program(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("program %s: %w", path, err)
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("program %s: there is no such file: check the path: %w", path, fs.ErrNotExist)
	case err != nil:
		return "", fmt.Errorf("program %s: %w", path, explain(err))
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("program %s: it is no regular file but %s: name an executable file", path, kind(info.Mode()))
	case info.Mode().Perm()&0o111 == 0:
		return "", fmt.Errorf("program %s: it is not executable: chmod +x it: %w", path, fs.ErrPermission)
	}
	return abs, nil
}

// kind names a file's type in words.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	default:
		return "something else"
	}
}
