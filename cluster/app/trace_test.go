package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Executors get the driver's coherer.trace.dir and have other working directories: it is absolute and is there.
func TestADriverMakesTheDirectoryOfTheTrace(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	in := Submission{Conf: map[string]string{submit.MasterURL.Key(): "spark://h:1", rpcenv.TraceDir.Key(): "a/b"}}
	c, _, err := in.settings()
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(dir, "a", "b")
	if info, err := os.Stat(want); rpcenv.TraceDir.Get(c) != want || err != nil || !info.IsDir() {
		t.Errorf("%s, want %s: %v", rpcenv.TraceDir.Get(c), want, err)
	}
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	in.Conf[rpcenv.TraceDir.Key()] = "file"
	if _, _, err := in.settings(); err == nil || !strings.Contains(err.Error(), "not a directory: name a directory that can be made with coherer.trace.dir") {
		t.Error("a file:", err)
	}
}

func TestTheStagingDirectoryIsAbsoluteAlsoWithARelativeHome(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", "rel")
	if home, err := (Staging{}).Home(); err != nil || home != "file:"+dir+"/rel" {
		t.Error(home, err)
	}
}

// An executor without its trace computes all the same.
func TestAnExecutorWhoseTraceCannotBeOpenedWarnsOnce(t *testing.T) {
	c, err := conf.New(nil, known.All())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, file + "-missing"} {
		var out bytes.Buffer
		log := logrus.New()
		log.SetOutput(&out)
		log.SetFormatter(logLines{})
		rec, err := recorderOrRing(filepath.Join(dir, "exec-1.trace"), c, logrus.NewEntry(log))
		if err != nil {
			t.Fatal(err)
		}
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
		said := out.String()
		if strings.Count(said, "\n") != 1 || strings.Count(said, dir) != 1 || !strings.Contains(said, "goes on without a trace: make its folder here") {
			t.Errorf("it logs %q", said)
		}
	}
}
