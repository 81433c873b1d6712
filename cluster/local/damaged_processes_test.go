package local_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/cluster/shufflefile"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

// flip changes one byte of a file.
func flip(path string, at int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	var b [1]byte
	if _, err = f.ReadAt(b[:], at); err == nil {
		b[0] ^= 1
		_, err = f.WriteAt(b[:], at)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// firstFile is the first file below a directory whose name is like a pattern.
func firstFile(dir, pattern string) (string, error) {
	for _, path := range filesUnder(dir) {
		if like, err := filepath.Match(pattern, filepath.Base(path)); like || err != nil {
			return path, err
		}
	}
	return "", fmt.Errorf("no file %s is in %q", pattern, filesUnder(dir))
}

func filesUnder(dir string) (out []string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			out = append(out, path)
		}
		return nil // what vanishes meanwhile is no file
	})
	return out
}

// flipBlocks changes a byte of each block of a map output. It returns the name of the output.
func flipBlocks(dir string) (string, error) {
	data, err := firstFile(dir, "shuffle_0_*.data")
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(data, ".data")
	offsets, err := shufflefile.ReadIndex(name + ".index")
	if err != nil {
		return "", err
	}
	for i, at := range offsets[1:] {
		if at == offsets[i] {
			continue
		}
		if err := flip(data, offsets[i]); err != nil {
			return "", err
		}
	}
	return filepath.Base(name), nil
}

// A byte of each block of a shuffle file changes on its disk between two stages. Whichever way they are read, the result is right, the map
// tasks of the file run again, and the event log says what was damaged where.
func TestADamagedShuffleFileIsComputedAgain(t *testing.T) {
	for name, conf := range map[string]map[string]string{
		"from its executor": {"spark.shuffle.readHostLocalDisk": "false"},
		"from its file":     {"spark.shuffle.readHostLocalDisk": "true"},
		"from the shuffle service": {
			"spark.shuffle.readHostLocalDisk": "false", "spark.shuffle.service.enabled": "true", "spark.shuffle.service.port": "0",
		},
	} {
		t.Run(name, func(t *testing.T) { damageBetweenStages(t, conf) })
	}
}

func damageBetweenStages(t *testing.T, conf map[string]string) {
	dir := t.TempDir()
	settings := map[string]string{
		"spark.executor.memory": "512m", "spark.cores.max": "2", "spark.scheduler.minRegisteredResourcesRatio": "1", "spark.local.dir": dir,
	}
	maps.Copy(settings, conf)
	var log memoryLog
	c := local.Start(t, local.Config{Kind: local.Processes, Workers: 2, Conf: settings, EventLog: func(string) bus.Log { return &log }})
	var outputs atomic.Int64
	defer c.Recorder().Watch(func(r *tracepb.Record) {
		if r.GetKind() == tracepb.Kind_SENT && strings.HasSuffix(r.GetType(), "RegisterMapOutput") {
			outputs.Add(1)
		}
	})()
	var damaged string
	ended := make(chan error, 1)
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
		var got [2]string
		for i := range got {
			sums, err := rdd.Collect(b.Context(), a, shuffledSums.With(1000))
			if err != nil {
				return err
			}
			got[i] = fmt.Sprint(sums)
			if i == 0 { // the second job has the result stage alone
				if damaged, err = flipBlocks(dir); err != nil {
					return err
				}
			}
		}
		if got[0] != got[1] || len(got[0]) < 50 {
			return fmt.Errorf("the jobs gave %s and %s", got[0], got[1])
		}
		return nil
	}, func(err error) { ended <- err })
	if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	block := strings.TrimSuffix(damaged, "0") + `[0-3]` // by its reducer
	want := regexp.MustCompile(`"Reason":"FetchFailed","Block Manager Address":{"Executor ID":"[01]".*Block ` + block + ` is corrupted due to DISK_ISSUE`)
	if lines := bytes.Join(log.lines, nil); !want.Match(lines) {
		t.Errorf("nothing in the event log is like %s:\n%s", want, lines)
	}
	if n := outputs.Load(); n <= 4 {
		t.Errorf("%d map outputs were registered: none was made again", n)
	}
}

// A byte of a partition that is kept on disk changes there. The partition is computed again, at whichever executor reads it.
func TestADamagedPartitionOnDiskIsComputedAgain(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "text")
	if err := os.WriteFile(path, []byte(strings.Repeat("some words of a line\n", 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	disks := t.TempDir()
	c := local.Start(t, local.Config{Kind: local.Processes, Workers: 1, Conf: map[string]string{
		"spark.executor.memory": "512m", "spark.local.dir": disks,
	}})
	kept := markedLines.With(markedArgs{Path: path, Mark: filepath.Join(dir, "0"), Level: rdd.DiskOnly})
	ended := make(chan error, 1)
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
		var lengths [3]string
		for i := range lengths {
			all, err := rdd.Collect(b.Context(), a, kept)
			if err != nil {
				return err
			}
			lengths[i] = fmt.Sprint(len(all), all[0], all[len(all)-1])
			if i > 0 { // the damage is mended
				continue
			}
			file, err := firstFile(disks, "blocks_*.data")
			if err == nil {
				err = flip(file, 100)
			}
			if err != nil {
				return err
			}
		}
		if lengths[1] != lengths[0] || lengths[2] != lengths[0] {
			return fmt.Errorf("the jobs gave %q", lengths)
		}
		return nil
	}, func(err error) { ended <- err })
	if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if n := marks(dir, 0); n != 5 {
		t.Errorf("%d partitions were computed, want 4, and the one again", n)
	}
}
