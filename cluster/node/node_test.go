package node

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheMemoryOfAnExecutorIsItsCommands(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"A=b", "SPARK_EXECUTOR_MEMORY=512m"}, "512MiB"},
		{[]string{"SPARK_EXECUTOR_MEMORY=2g"}, "2048MiB"},
		{[]string{"SPARK_EXECUTOR_MEMORY=much"}, "1024MiB"},
		{nil, "1024MiB"},
	} {
		if got := memoryLimit(c.env, 1024); got != c.want {
			t.Errorf("%v: %s, want %s", c.env, got, c.want)
		}
	}
}

func TestWhatAnApplicationSaidStaysWhatItHadGoes(t *testing.T) {
	work := t.TempDir()
	dir := filepath.Join(work, "app-1", "0")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"app-1/0/stdout", "app-1/0/stderr", "app-1/0/blocks_1.data", "app-1/program"} {
		if err := os.WriteFile(filepath.Join(work, path), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := directories{work}
	if err := errors.Join(d.Remove(nil, "app-1"), d.Remove(nil, "app-1"), d.Remove(nil, "never-there")); err != nil {
		t.Fatal(err)
	}
	for path, stays := range map[string]bool{"app-1/0/stdout": true, "app-1/0/stderr": true, "app-1/0/blocks_1.data": false, "app-1/program": false} {
		if _, err := os.Stat(filepath.Join(work, path)); errors.Is(err, fs.ErrNotExist) == stays {
			t.Errorf("%s: %v", path, err)
		}
	}
}
