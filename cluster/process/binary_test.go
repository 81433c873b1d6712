package process_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv/program"
)

func TestSelfDigest(t *testing.T) {
	digest, path, err := program.Self()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if want := hex.EncodeToString(sum[:]); digest != want {
		t.Errorf("digest %s, want %s", digest, want)
	}
	if _, err := program.Digest(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("digest of nothing: %v", err)
	}
}

func TestCheckBinary(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "script"), "#!/bin/sh\n", 0o755)
	write(t, filepath.Join(dir, "text"), "hello", 0o644)
	write(t, filepath.Join(dir, "empty"), "", 0o755)
	for _, c := range []struct{ path, want string }{
		{self(), ""},
		{filepath.Join(dir, "script"), "no Go program"},
		{filepath.Join(dir, "empty"), "no Go program"},
		{filepath.Join(dir, "text"), "chmod +x"},
		{filepath.Join(dir, "none"), "no such file"},
		{dir, "a directory"},
	} {
		err := process.CheckBinary(c.path)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.path, err, c.want)
		}
	}
}

func TestBuildMain(t *testing.T) {
	module := func(t *testing.T, source string) string {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "go.mod"), "module example.com/x\n\ngo 1.26\n", 0o644)
		if source != "" {
			write(t, filepath.Join(dir, "main.go"), source, 0o644)
		}
		return dir
	}
	t.Run("a program", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "out")
		if err := process.BuildMain(t.Context(), module(t, "package main\n\nfunc main() { print() }\n"), out); err != nil {
			t.Fatal(err)
		}
		if err := process.CheckBinary(out); err != nil {
			t.Error(err)
		}
		_, exits := start(t, newStarter(t), process.Spec{Path: out})
		wantExit(t, exits, 0)
	})
	for _, c := range []struct{ name, source, want string }{
		{"it does not compile", "package main\n\nfunc main() { undefinedA(); undefinedB() }\n", "undefinedB"},
		{"no program", "package lib\n", "package lib is no program"},
		{"no source", "", "no buildable Go source"},
		{"no Go", "not Go at all", "main.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := process.BuildMain(t.Context(), module(t, c.source), filepath.Join(t.TempDir(), "out"))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	t.Run("no go command", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		err := process.BuildMain(t.Context(), module(t, "package main\n\nfunc main() {}\n"), "out")
		if err == nil || !strings.Contains(err.Error(), "install Go") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := process.BuildMain(ctx, module(t, "package main\n\nfunc main() {}\n"), "out")
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

// A build that is cancelled in its midst leaves nothing of what the go command has written.
func TestABuildThatIsCancelledLeavesNothing(t *testing.T) {
	dir, tmp := t.TempDir(), t.TempDir()
	begun := filepath.Join(dir, "begun") // a pipe, whose reading waits for the command
	if err := syscall.Mkfifo(begun, 0o600); err != nil {
		t.Fatal(err)
	}
	const goCommand = `#!/bin/sh
mkdir "${GOTMPDIR:-$TMPDIR}/go-build1" && echo text >"${GOTMPDIR:-$TMPDIR}/go-build1/file"
echo >"$BEGUN"
exec sleep 3600
`
	write(t, filepath.Join(dir, "go"), goCommand, 0o700)
	write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n", 0o600)
	for key, value := range map[string]string{"PATH": dir + ":" + os.Getenv("PATH"), "BEGUN": begun, "TMPDIR": tmp, "GOTMPDIR": ""} {
		t.Setenv(key, value)
	}
	ctx, cancel := context.WithCancel(t.Context())
	built := make(chan error, 1)
	go func() { built <- process.BuildMain(ctx, dir, filepath.Join(dir, "out")) }()
	if _, err := os.ReadFile(begun); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-built; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}
