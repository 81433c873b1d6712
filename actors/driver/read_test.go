package driver

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver/pools"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv/conf"
)

// errDisk is what an oddFile cannot be read for.
var errDisk = errors.New("the disk is broken")

// oddFS is an FS of one file of a size and a content of its own.
type oddFS struct{ file oddFile }

func (f oddFS) Open(string) (rdd.File, error) { return f.file, nil }

type oddFile struct {
	size int64
	text string
	err  error // of reading
}

func (f oddFile) Size() int64  { return f.size }
func (f oddFile) Close() error { return nil }

func (f oddFile) ReadAt(p []byte, _ int64) (int, error) { return copy(p, f.text), f.err }

// forbidden is an FS that lets nobody open a file.
type forbidden struct{}

func (forbidden) Open(path string) (rdd.File, error) {
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
}

func confOf(t *testing.T, settings string) *conf.Conf {
	t.Helper()
	pairs := map[string]string{}
	for pair := range strings.FieldsSeq(settings) {
		key, value, _ := strings.Cut(pair, "=")
		pairs[key] = value
	}
	c, err := conf.New(pairs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const aPool = `<allocations><pool name="p"><weight>2</weight></pool></allocations>`

// A file that a setting names has to be there and to be good, in either mode. That of the directory of settings is read in mode FAIR and
// may be missing.
func TestWhereTheAllocationFileIs(t *testing.T) {
	const fair, named = "spark.scheduler.mode=FAIR", "spark.scheduler.allocation.file=/named.xml"
	both := rdd.MemFS{"/named.xml": []byte(aPool), "/conf/fairscheduler.xml": []byte(aPool), "fairscheduler.xml": []byte(aPool)}
	for _, k := range []struct {
		name, settings, dir string
		files               rdd.FS
		pools               int // -1: there is no file
		want                string
	}{
		{"named", named, "", rdd.MemFS{"/named.xml": []byte(aPool)}, 1, ""},
		{"named in a directory that has none", named + " " + fair, "/conf", rdd.MemFS{"/named.xml": []byte(aPool)}, 1, ""},
		{"of the directory", fair, "/conf", both, 1, ""},
		{"of the directory, in mode FIFO", "", "/conf", both, -1, ""},
		{"without a directory", fair, "", both, -1, ""},
		{"none in the directory", fair, "/conf", rdd.MemFS{}, -1, ""},
		{"forbidden in the directory", fair, "/conf", forbidden{}, -1, "open /conf/fairscheduler.xml: permission denied"},
		{"bad in the directory", fair, "/conf", rdd.MemFS{"/conf/fairscheduler.xml": []byte("<a")}, -1, "/conf/fairscheduler.xml"},
		{"named and missing", named, "/conf", rdd.MemFS{}, -1, "spark.scheduler.allocation.file: open /named.xml: file does not exist: name a file that is there, or remove the setting"},
		{"named and forbidden", named, "", forbidden{}, -1, "spark.scheduler.allocation.file: open /named.xml: permission denied"},
		{"no files", named, "", nil, -1, "spark.scheduler.allocation.file: open /named.xml: this driver has no file system"},
		{"it cannot be read", named, "", oddFS{oddFile{int64(len(aPool)), aPool, errDisk}}, -1, "spark.scheduler.allocation.file: the disk is broken"},
		{"its end comes with it", named, "", oddFS{oddFile{int64(len(aPool)), aPool, io.EOF}}, 1, ""},
		{"too large", named, "", oddFS{oddFile{pools.MaxFile + 1, "", nil}}, -1, "it has more than 1 MiB"},
	} {
		got, err := allocations(confOf(t, k.settings), k.files, k.dir)
		n := -1
		if got != nil {
			n = len(got.Pools)
		}
		if n != k.pools || k.want == "" && err != nil || k.want != "" && (err == nil || !strings.Contains(err.Error(), k.want)) {
			t.Errorf("%s: %d pools, %v, want %d, %q", k.name, n, err, k.pools, k.want)
		}
	}
}

const table = topologySetting + "=racks"

const topologySetting = "spark.hadoop.net.topology.table.file.name"

// Hosts that the table does not name are on /default-rack; lines that begin with # are for people.
func TestTheTableOfRacks(t *testing.T) {
	of, err := racks(confOf(t, table), rdd.MemFS{"racks": []byte("# a remark\n#a /r0\n\nhost1 /r1\n")})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{"host1": "/r1", "host2": "/default-rack", "#a": "/default-rack"} {
		if got := of(host); got != want {
			t.Errorf("%s is on %s, want %s", host, got, want)
		}
	}
	if of, err := racks(confOf(t, ""), nil); of != nil || err != nil {
		t.Errorf("without a table: %v", err)
	}
}

func TestATableOfRacksThatCannotBeRead(t *testing.T) {
	text := "host1 /r1"
	for _, k := range []struct {
		name  string
		files rdd.FS
		want  string
	}{
		{"no files", nil, topologySetting + ": open racks: this driver has no file system"},
		{"forbidden", forbidden{}, topologySetting + ": open racks: permission denied"},
		{"it cannot be read", oddFS{oddFile{int64(len(text)), text, errDisk}}, topologySetting + ": the disk is broken"},
		{"too large", oddFS{oddFile{maxTopology + 1, text, nil}}, topologySetting + ": racks has 16777217 bytes, allowed are 16777216"},
		{"its end comes with it", oddFS{oddFile{int64(len(text)), text, io.EOF}}, ""},
		{"the largest", oddFS{oddFile{maxTopology, strings.Repeat(" ", maxTopology), nil}}, ""},
	} {
		_, err := racks(confOf(t, table), k.files)
		if k.want == "" && err != nil || k.want != "" && (err == nil || err.Error() != k.want) {
			t.Errorf("%s: %v, want %q", k.name, err, k.want)
		}
	}
}

// coded is an error that chooses an exit code.
type coded int

func (c coded) Error() string { return "it ended" }
func (c coded) ExitCode() int { return int(c) }

// SparkUserAppException: a program may choose its exit code; one that no process can have is none.
func TestTheExitCodeOfAnApplication(t *testing.T) {
	for _, k := range []struct {
		err          error
		chosen, code int
	}{
		{nil, 0, 0},
		{errDisk, 0, 1},
		{coded(0), 0, 1},
		{coded(1), 1, 1},
		{coded(255), 255, 255},
		{coded(256), 0, 1},
		{coded(-1), 0, 1},
		{fmt.Errorf("the program: %w", coded(3)), 3, 3},
	} {
		if chosen, code := ChosenCode(k.err), ExitCode(k.err); chosen != k.chosen || code != k.code {
			t.Errorf("%v: chosen %d, code %d, want %d and %d", k.err, chosen, code, k.chosen, k.code)
		}
	}
}

func TestALocalApplicationNeedsAnIDAndAnAttempt(t *testing.T) {
	for _, k := range []struct {
		local *Local
		want  string
	}{
		{nil, ""},
		{&Local{AppID: "local-1", MaxFailures: 1}, ""},
		{&Local{MaxFailures: 1}, "driver: a local application needs an id"},
		{&Local{AppID: "local-1"}, "driver: a task of a local application may fail 0 times: want at least 1"},
	} {
		cfg := Config{AppName: "test", Local: k.local, YARN: &YARN{}}
		if err := cfg.Validate(); k.want == "" && err != nil || k.want != "" && (err == nil || err.Error() != k.want) {
			t.Errorf("%+v: %v, want %q", k.local, err, k.want)
		}
	}
}

// The setting is of clusters: a local application has no shuffle service.
func TestWhoseMapOutputsOutliveTheirExecutors(t *testing.T) {
	for settings, want := range map[string]bool{"": false, "spark.shuffle.service.enabled=true": true} {
		c := confOf(t, settings)
		if got := (Config{}).externalShuffle(c); got != want {
			t.Errorf("%q: %t on a cluster", settings, got)
		}
		if (Config{Local: &Local{}}).externalShuffle(c) {
			t.Errorf("%q: a local application has a shuffle service", settings)
		}
	}
}

// taskProfile: the slots of an executor are known where its cores are.
func TestWhatATaskTakesByTheSettings(t *testing.T) {
	for settings, want := range map[string][2]int{
		"":                       {1, 0},
		"spark.executor.cores=7": {1, 7},
		"spark.executor.cores=7 spark.task.cpus=2": {2, 3},
		"spark.task.cpus=2":                        {2, 0},
	} {
		if p := taskProfile(confOf(t, settings)); p.CPUs != want[0] || p.Slots != want[1] {
			t.Errorf("%q: %+v, want %v", settings, p, want)
		}
	}
}
