package main

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Files and archives of an application are where its executors and its driver run, on a standalone cluster and without one.
func TestFilesOfAnApplication(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	w, err := z.Create("in/b.txt")
	if err == nil {
		_, err = w.Write([]byte("B"))
	}
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a.txt"), "A")
	write(t, filepath.Join(dir, "p.zip"), packed.String())
	local := filepath.Join(dir, "local")
	if err := os.Mkdir(local, 0o700); err != nil {
		t.Fatal(err)
	}
	options := []string{"--conf", "spark.local.dir=" + local, "--files", "a.txt", "--archives", "p.zip#packed"}
	program := filepath.Join(dir, "sidefile")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./testdata/sidefile")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := func(args ...string) result {
		cmd := command(t, append(append([]string{"submit"}, args...), program)...)
		cmd.Dir = dir // paths are those of where submit was called
		return finish(t, cmd)
	}
	for _, master := range []string{"local[2]", "local-cluster[2,1,1024]"} {
		got := run(append([]string{"--master", master}, options...)...)
		if got.code != 0 || !strings.HasPrefix(got.stdout, "0 A B\n1 A B\n2 A B\n3 A B\ndriver A\n") {
			t.Errorf("%s: %+v", master, got)
		}
	}
	if left, err := os.ReadDir(local); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	for _, c := range []struct{ option, value, want string }{
		{"--files", "none.txt", "spark.files: serve " + filepath.Join(dir, "none.txt")},
		{"--files", dir, "spark.files: serve " + dir},
		{"--files", "http://x/a.txt", "the driver serves files of its machine"},
		{"--archives", "a.txt", "it is no archive: want .zip"},
		{"--archives", "p.zip#../x", "no name of a directory"},
	} {
		if got := run("--master", "local", c.option, c.value); got.code == 0 || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s %s: %+v, want %s", c.option, c.value, got, c.want)
		}
	}
}
