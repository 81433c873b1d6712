package driver

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver/pools"
	"github.com/coherer/coherer/actors/rdd"
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
