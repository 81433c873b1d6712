package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/shufflefile"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/transport/bulk"
)

// shuffling serves map outputs below a directory.
func shuffling(t *testing.T) (s *shuffleOutputs, root string) {
	t.Helper()
	c, err := conf.New(map[string]string{"spark.shuffle.service.port": "0"}, known.All())
	if err != nil {
		t.Fatal(err)
	}
	root = t.TempDir()
	s, err = (&Options{Listen: rpcenv.Address{Host: "127.0.0.1"}, Conf: c, Log: quiet()}).serveShuffle([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, root
}

// writes makes an executor with two directories, and a map output of shuffle 1, with a block a reducer.
func writes(t *testing.T, s *shuffleOutputs, root string, x shuffleservice.Executor, task int64, blocks ...string) []string {
	t.Helper()
	dirs := []string{filepath.Join(root, x.App, x.ID, "a"), filepath.Join(root, x.App, x.ID, "b")}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var sizes []int64
	for _, b := range blocks {
		sizes = append(sizes, int64(len(b)))
	}
	o := shufflefile.Output{Shuffle: 1, Task: task}
	err := errors.Join(os.WriteFile(o.Data(dirs), []byte(strings.Join(blocks, "")), 0o600), shufflefile.WriteIndex(o.Index(dirs), sizes), s.Add(x, dirs))
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// brought is what a client gets of blocks of an owner.
func brought(t *testing.T, s *shuffleOutputs, of bulk.Owner, ids ...string) (string, error) {
	t.Helper()
	client := bulk.NewClient(bulk.Options{Of: of})
	defer client.Close()
	var got bytes.Buffer
	err := client.FetchBlocks(context.Background(), s.Address(), ids, func(_ int, r io.Reader, _ int64) error {
		_, err := io.Copy(&got, r)
		got.WriteByte('.')
		return err
	})
	return got.String(), err
}

func TestAWorkerServesTheOutputsOfAnExecutorThatIsGone(t *testing.T) {
	s, root := shuffling(t)
	writes(t, s, root, shuffleservice.Executor{App: "app", ID: "0"}, 7, "ab", "", "cde")
	writes(t, s, root, shuffleservice.Executor{App: "app", ID: "1"}, 8, "f")
	writes(t, s, root, shuffleservice.Executor{App: "other", ID: "0"}, 7, "x", "y", "z")
	for _, k := range []struct {
		of   bulk.Owner
		want string
	}{
		{bulk.Owner{App: "app", Executor: "0"}, "ab.cde."}, {bulk.Owner{App: "app"}, "ab.cde."}, {bulk.Owner{App: "other"}, "x.z."},
	} {
		if got, err := brought(t, s, k.of, "shuffle_1_7_0", "shuffle_1_7_2"); err != nil || got != k.want {
			t.Errorf("%v: %q, %v", k.of, got, err)
		}
	}
	if got, err := brought(t, s, bulk.Owner{App: "app"}, "shuffle_1_8_0", "shuffle_1_7_0"); err != nil || got != "f.ab." {
		t.Errorf("of two executors: %q, %v", got, err)
	}
}

// A peer names blocks by numbers alone, and gets no others.
func TestBlocksOfOthersAreNotServed(t *testing.T) {
	s, root := shuffling(t)
	dirs := writes(t, s, root, shuffleservice.Executor{App: "app", ID: "0"}, 7, "ab")
	touch(t, filepath.Join(dirs[0], "secret"), filepath.Join(dirs[0], "taskresult_1"))
	for id, says := range map[string]string{
		"shuffle_1_7_1": "no reducer 1", "shuffle_1_9_0": "no block shuffle_1_9_0 here", "shuffle_1_7_-1": "no shuffle block", "shuffle_1_7_00": "no shuffle block",
		"secret": "no shuffle block", "../secret": "no shuffle block", "shuffle_1_7_0/../../secret": "no shuffle block", "taskresult_1": "no shuffle block", "": "no shuffle block",
	} {
		if got, err := brought(t, s, bulk.Owner{App: "app", Executor: "0"}, id); !errors.Is(err, bulk.ErrNotServed) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %q, %v", id, got, err)
		}
	}
	for _, of := range []bulk.Owner{{}, {App: "app", Executor: "1"}, {App: "none", Executor: "0"}, {Executor: "0"}} {
		want := fmt.Sprintf("Executor is not registered (appId=%s, execId=%s)", of.App, of.Executor)
		if got, err := brought(t, s, of, "shuffle_1_7_0"); !errors.Is(err, bulk.ErrNotServed) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %q, %v", of, got, err)
		}
	}
	s.Forget(shuffleservice.Executor{App: "app", ID: "0"})
	if got, err := brought(t, s, bulk.Owner{App: "app", Executor: "0"}, "shuffle_1_7_0"); err == nil {
		t.Errorf("after its end: %q", got)
	}
}

// A peer names directories, and may name none of others.
func TestDirectoriesOutsideAreRefused(t *testing.T) {
	s, root := shuffling(t)
	x := shuffleservice.Executor{App: "app", ID: "0"}
	for _, dir := range []string{"/etc", root, filepath.Dir(root), root + "x", filepath.Join(root, "..", "x"), "/"} {
		if err := s.Add(x, []string{filepath.Join(root, "good"), dir}); err == nil {
			t.Errorf("%s is served, below %s", dir, root)
		}
	}
	if _, err := brought(t, s, bulk.Owner{App: "app", Executor: "0"}, "shuffle_1_7_0"); err == nil || !strings.Contains(err.Error(), "not registered") {
		t.Error(err)
	}
}

func TestWhatIsNoMapOutputGoesWithItsExecutor(t *testing.T) {
	s, root := shuffling(t)
	x := shuffleservice.Executor{App: "app", ID: "0"}
	dirs := writes(t, s, root, x, 7, "ab")
	var gone []string
	for _, name := range []string{"blocks_1.data", "temp_local_1_x", "shuffle_1_9_0.data.tmp", "sub/spill"} {
		gone = append(gone, filepath.Join(dirs[0], name))
	}
	touch(t, gone...)
	if err := errors.Join(s.Clean(nil, x), s.Clean(nil, shuffleservice.Executor{App: "app", ID: "9"})); err != nil {
		t.Fatal(err)
	}
	for _, path := range gone {
		if there(path) {
			t.Errorf("%s is still there", path)
		}
	}
	if got, err := brought(t, s, bulk.Owner{App: "app"}, "shuffle_1_7_0"); err != nil || got != "ab." {
		t.Errorf("%q, %v", got, err)
	}
	if err := errors.Join(s.Remove(nil, dirs), s.Clean(nil, x), s.Remove(nil, dirs)); err != nil || there(dirs[0]) || there(dirs[1]) {
		t.Errorf("%s is still there, %v", dirs, err)
	}
}

// Nobody serves what a Worker leaves at its end.
func TestTheOutputsGoWithTheirWorker(t *testing.T) {
	s, root := shuffling(t)
	dirs := writes(t, s, root, shuffleservice.Executor{App: "app", ID: "0"}, 7, "ab")
	if err := s.Close(); err != nil || there(dirs[0]) || there(dirs[1]) {
		t.Errorf("%s is still there, %v", dirs, err)
	}
}

// As in Spark no other port is tried, since applications may know this one.
func TestAShuffleServiceWhosePortIsTakenEndsItsWorker(t *testing.T) {
	s, _ := shuffling(t)
	settings := map[string]string{"spark.shuffle.service.enabled": "true", "spark.shuffle.service.port": strconv.Itoa(s.Address().Port)}
	c, err := conf.New(settings, known.All())
	if err != nil {
		t.Fatal(err)
	}
	err = RunWorker(t.Context(), WorkerOptions{
		Options: Options{Role: "worker", Listen: rpcenv.Address{Host: "127.0.0.1"}, Conf: c, Log: quiet()},
		Masters: []rpcenv.Address{{Host: "127.0.0.1", Port: 1}}, Cores: 1, MemoryMB: 1024, WorkDir: t.TempDir(),
	})
	if err == nil || !strings.Contains(err.Error(), "spark.shuffle.service.port") {
		t.Errorf("it ended with %v", err)
	}
}
