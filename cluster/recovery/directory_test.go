package recovery

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/actors/records"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ofMaster = Owner{Role: "Master", Setting: "spark.deploy.recoveryDirectory"}

func opened(t *testing.T, path string) *Directory {
	t.Helper()
	d, err := Open(path, ofMaster)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() }) // a test may have closed it
	return d
}

func put(key, value string) records.Change {
	return records.Change{Key: key, Value: append([]byte{}, value...)}
}

// holds is what a directory gives to the next Master, as KEY=VALUE.
func holds(t *testing.T, d *Directory) (all []string, bad []error) {
	t.Helper()
	kept, bad, err := d.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range kept {
		all = append(all, r.Key+"="+string(r.Value))
	}
	return all, bad
}

func TestRecordsOutliveTheirMaster(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	d := opened(t, path)
	for _, group := range [][]records.Change{
		{put("worker_w1", "one")},
		{put("app_a1", "x"), put("app_a2", ""), put("worker_w1", "two")},
		{{Key: "app_a1"}, put("driver_d", "y"), {Key: "app_never"}},
		{{Key: "driver_d"}},
	} {
		if err := d.Write(nil, group); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	got, bad := holds(t, opened(t, path))
	if want := []string{"app_a2=", "worker_w1=two"}; !slices.Equal(got, want) || len(bad) > 0 {
		t.Errorf("got %q %v, want %q", got, bad, want)
	}
}

// Ids come from peers: none of them leads out of the directory, or makes a Master fail that would write it.
func TestNoIDLeavesTheDirectory(t *testing.T) {
	dir := t.TempDir()
	d := opened(t, filepath.Join(dir, "records"))
	var want []string
	for _, id := range []string{
		"../../etc/passwd", "/", "a/b", ".", "..", `c:\x`, "nul\x00", "ä", "%2F", strings.Repeat("long", 1000), "lock", "group", ".tmp-x", "",
	} {
		key := "worker_" + id
		if err := d.Write(nil, []records.Change{put(key, "v"), put(key, "v")}); err != nil {
			t.Errorf("%.30q: %v", id, err)
		}
		want = append(want, key+"=v")
	}
	for _, key := range []string{"lock", "group-1", "bad", ".tmp-app_a", "..", ""} {
		if err := d.Write(nil, []records.Change{put(key, "v"), put(key, "v")}); err != nil {
			t.Errorf("%q: %v", key, err)
		}
		want = append(want, key+"=v")
	}
	got, bad := holds(t, d)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %.300q\nwant %.300q\nbad %v", got, want, bad)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("beside the directory: %v %v", entries, err)
	}
}

func TestABadRecordIsSetAsideAndTheRestRecovers(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path)
	for _, key := range []string{"app_good", "app_torn", "app_flipped", "app_moved", "app_empty", "app_group"} {
		if err := d.Write(nil, []records.Change{put(key, "value of "+key)}); err != nil {
			t.Fatal(err)
		}
	}
	d.filer.work(d.file) // now they are in files of their own: behind it, or behind the filer's goroutine
	spoil := func(name string, how func([]byte) []byte) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(path, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(path, name), how(data), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	spoil("app_torn", func(b []byte) []byte { return b[:len(b)-3] })
	spoil("app_flipped", func(b []byte) []byte { b[len(b)-1] ^= 1; return b })
	spoil("app_empty", func([]byte) []byte { return nil })
	spoil("app_group", func([]byte) []byte { return encode(put("app_group", "a"), put("app_other", "b")) })
	if err := os.Rename(filepath.Join(path, "app_moved"), filepath.Join(path, "app_elsewhere")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "README"), []byte("what is this folder for, and who wrote it?"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, bad := holds(t, d)
	if want := []string{"app_good=value of app_good"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	text := errors.Join(bad...).Error()
	for _, want := range []string{
		"app_torn: it is torn", "app_flipped: it is torn or was changed", "app_empty: it is torn: 0 bytes", "app_group: it has 2 changes",
		`app_elsewhere: it is the record of "app_moved"`, "README: it is no record: Coherer did not write it",
	} {
		if !strings.Contains(text, want) || !strings.Contains(text, "it is now "+filepath.Join(path, badFolder)) ||
			!strings.Contains(text, "start the Master again") {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if moved, err := os.ReadDir(filepath.Join(path, badFolder)); err != nil || len(moved) != len(bad) {
		t.Errorf("%d files set aside, %d reported: %v", len(moved), len(bad), err)
	}
	if _, bad := holds(t, d); len(bad) != 0 {
		t.Errorf("reported again: %v", bad)
	}
}

// TestWhatIsNoFileIsSetAside: a pipe would be read for ever, a huge file fill the memory, a link lead anywhere.
func TestWhatIsNoFileIsSetAside(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path)
	if err := d.Write(nil, []records.Change{put("app_good", "x")}); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(path, name) }
	huge, err := os.Create(at("app_huge"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		huge.Truncate(largestFile+1), huge.Close(),
		unix.Mkfifo(at("app_pipe"), 0o600), unix.Mkfifo(at(groupPrefix+"1"), 0o600),
		os.MkdirAll(at("app_folder/full"), 0o700),
		os.Symlink(at("app_good"), at("app_link")),
	); err != nil {
		t.Fatal(err)
	}
	got, bad := holds(t, d)
	if want := []string{"app_good=x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	text := errors.Join(bad...).Error()
	for _, want := range []string{
		"app_huge: it has 268435457 bytes", "app_pipe: it is no file but p", groupPrefix + "1: it is no file but p",
		"app_folder: it is no file but d", "app_link: open ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if err := d.put("app_large", make([]byte, largestFile+1)); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("what could not be read again was written: %v", err)
	}
}

func TestOneMasterAtATime(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path)
	if _, err := Open(path, ofMaster); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "another Master") {
		t.Errorf("a second Master: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	opened(t, path)
	if _, err := Open("", ofMaster); err == nil || !strings.Contains(err.Error(), "spark.deploy.recoveryDirectory") {
		t.Errorf("no directory: %v", err)
	}
}

// TestAWriteIsAllOrNone breaks the disk at each of its changes, and at none. The next Master finds the records from before,
// or all of the Write's; all of the Write's when it returned no error.
func TestAWriteIsAllOrNone(t *testing.T) {
	before := []string{"app_a=old", "app_b=old"}
	for _, test := range []struct {
		name    string
		changes []records.Change
		after   []string
	}{
		{"one", []records.Change{put("app_a", "new")}, []string{"app_a=new", "app_b=old"}},
		{"a removal", []records.Change{{Key: "app_b"}}, []string{"app_a=old"}},
		{"a group", []records.Change{put("app_a", "new"), {Key: "app_b"}, put("app_c", "new")}, []string{"app_a=new", "app_c=new"}},
	} {
		for fail := 0; ; fail++ {
			path := t.TempDir()
			d, err := open(path, ofMaster)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Write(nil, []records.Change{put("app_a", "old"), put("app_b", "old")}); err != nil {
				t.Fatal(err)
			}
			d.filer.work(d.file)
			n, broke := 0, ""
			d.before = func(op, path string) error {
				if n++; n > fail {
					if broke == "" {
						broke = path
					}
					return syscall.ENOSPC
				}
				return nil
			}
			err = d.Write(nil, test.changes)
			if err == nil {
				d.filer.work(d.file) // which may fail: it is done by the next Load
			}
			done := n <= fail
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			got, bad := holds(t, opened(t, path))
			if len(bad) > 0 || !slices.Equal(got, test.after) && (err == nil || !slices.Equal(got, before)) {
				t.Errorf("%s, broken at change %d: Write said %v, the next Master finds %q %v", test.name, fail, err, got, bad)
			}
			if done {
				if fail < 6 {
					t.Errorf("%s: the disk was changed %d times only", test.name, fail)
				}
				break
			}
			if err == nil {
				continue
			}
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), broke) {
				t.Errorf("%s: %v names neither %s nor the cause", test.name, err, broke)
			}
		}
	}
}

func TestWhatTheSystemSaysIsInTheError(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path)
	if err := os.Mkdir(filepath.Join(path, tempMark+groupPrefix+strings.Repeat("0", 19)+"1"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := d.Write(nil, []records.Change{put("app_a", "x")})
	if !errors.Is(err, syscall.EISDIR) || !strings.Contains(err.Error(), filepath.Join(path, tempMark+groupPrefix)) {
		t.Errorf("got %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(put("app_a", "x"), records.Change{Key: "app_b"}))
	f.Add([]byte(magic))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		changes, err := decode(data)
		if err != nil {
			return
		}
		again, err := decode(encode(changes...))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(changes) {
			t.Errorf("%v became %v, %v", changes, again, err)
		}
	})
}
