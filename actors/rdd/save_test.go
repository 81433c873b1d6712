package rdd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"
)

type labelled struct {
	Name string
	N    int
}

var (
	savedWords = Define("rdd test: words to save", func(parts int) Dataset[string] {
		return Map(Range(0, 5, parts), func(i int64) string { return strings.Repeat("w", int(i)) })
	})
	savedPairs = Define("rdd test: pairs to save", func(int) Dataset[Pair[string, Pair[int, bool]]] {
		return Map(Range(0, 2, 1), func(i int64) Pair[string, Pair[int, bool]] { return PairOf(fmt.Sprint("k", i), PairOf(int(i), i > 0)) })
	})
	savedStructs = Define("rdd test: structs to save", func(int) Dataset[labelled] {
		return Map(Range(0, 1, 1), func(i int64) labelled { return labelled{"a b", 7} })
	})
	savedFloats  = Define("rdd test: floats to save", func(int) Dataset[float64] { return Parallelize([]float64{1, 2.5}, 1) })
	savedNothing = Define("rdd test: nothing to save", func(int) Dataset[int64] { return Filter(Range(0, 5, 2), func(int64) bool { return false }) })
	savedMany    = Define("rdd test: many to save", func(int) Dataset[int64] { return Range(0, 1000, 1) })
	savedPanic   = Define("rdd test: a panic while it saves", func(int) Dataset[int64] {
		return Map(Range(0, 5, 5), func(i int64) int64 {
			if i == 3 {
				panic("three")
			}
			return i
		})
	})
)

// treeOf is what a MemDisk has below a folder, with the contents of files.
func treeOf(t *testing.T, m *MemDisk, folder string) string {
	t.Helper()
	var out []string
	var walk func(at string)
	walk = func(at string) {
		names, err := m.ReadDir(at)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			p := path.Join(at, name)
			short := strings.TrimPrefix(p, folder+"/")
			if f, err := m.Open(p); err == nil {
				data := make([]byte, f.Size())
				_, _ = f.ReadAt(data, 0)
				out = append(out, fmt.Sprintf("%s %q", short, data))
				continue
			}
			out = append(out, short+"/")
			walk(p)
		}
	}
	walk(folder)
	return strings.Join(out, "\n")
}

func wantTree(t *testing.T, m *MemDisk, folder string, want ...string) {
	t.Helper()
	if got := treeOf(t, m, folder); got != strings.Join(want, "\n") {
		t.Errorf("%s has\n%s\nwant\n%s", folder, got, strings.Join(want, "\n"))
	}
}

// A folder gets a part for each partition and _SUCCESS, and nothing else is left. Empty partitions have empty parts.
func TestSaveMakesAPartForEachPartition(t *testing.T) {
	m := &MemDisk{}
	if err := SaveAsTextFile(t.Context(), Local(m), savedWords.With(2), "/deep/below/out"); err != nil {
		t.Fatal(err)
	}
	wantTree(t, m, "/deep/below/out", `_SUCCESS ""`, `part-00000 "\nw\n"`, `part-00001 "ww\nwww\nwwww\n"`)
	if err := SaveAsTextFile(t.Context(), Local(m), savedNothing.With(0), "here"); err != nil {
		t.Fatal(err)
	}
	wantTree(t, m, "here", `_SUCCESS ""`, `part-00000 ""`, `part-00001 ""`)
}

// A string is written as it is, a Pair as in Spark, anything else as fmt prints it.
func TestSaveWritesRecordsAsTheirText(t *testing.T) {
	m := &MemDisk{}
	ctx, r := t.Context(), Local(m)
	err := errors.Join(SaveAsTextFile(ctx, r, savedPairs.With(0), "pairs"), SaveAsTextFile(ctx, r, savedStructs.With(0), "structs"),
		SaveAsTextFile(ctx, r, savedFloats.With(0), "floats"))
	if err != nil {
		t.Fatal(err)
	}
	wantTree(t, m, "pairs", `_SUCCESS ""`, `part-00000 "(k0,(0,false))\n(k1,(1,true))\n"`)
	wantTree(t, m, "structs", `_SUCCESS ""`, `part-00000 "{a b 7}\n"`)
	wantTree(t, m, "floats", `_SUCCESS ""`, `part-00000 "1\n2.5\n"`)
}

// What was saved can be read as a text file, by another job.
func TestWhatWasSavedCanBeRead(t *testing.T) {
	m := &MemDisk{Below: MemFS{"text": []byte("one\ntwo\n")}}
	if err := SaveAsTextFile(t.Context(), Local(m), linesToCopy.With("text"), "copy"); err != nil {
		t.Fatal(err)
	}
	got, err := Collect(t.Context(), Local(m), linesToCopy.With("copy/part-00000"))
	if err != nil || !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%q, %v", got, err)
	}
}

var linesToCopy = Define("rdd test: lines to copy", func(path string) Dataset[string] { return TextFile(path, 1) })

// A folder that exists is an error before any task, and keeps what it has.
func TestSaveRefusesAFolderThatExists(t *testing.T) {
	m := &MemDisk{}
	save := func(path string) error { return SaveAsTextFile(t.Context(), Local(m), savedWords.With(1), path) }
	if err := save("out"); err != nil {
		t.Fatal(err)
	}
	before := treeOf(t, m, "out")
	for _, path := range []string{"out", "out/part-00000", "./x/../out"} {
		if err := SaveAsTextFile(t.Context(), Local(m), savedPanic.With(0), path); !errors.Is(err, ErrOutputExists) ||
			!strings.Contains(err.Error(), "already exists") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := save("out/part-00000/below"); !errors.Is(err, syscall.ENOTDIR) {
		t.Error(err)
	}
	wantTree(t, m, "out", before)
	if err := save(""); !errors.Is(err, ErrBadJob) {
		t.Error(err)
	}
	if err := SaveAsTextFile(t.Context(), Local(MemFS{}), savedWords.With(1), "out"); !errors.Is(err, ErrBadJob) {
		t.Error(err)
	}
}

// A job that fails or is cancelled takes back what it made, but not the folders above it, nor what others put there.
func TestAJobThatFailsTakesBackItsOutput(t *testing.T) {
	m := &MemDisk{}
	_, isUser := errors.AsType[*UserError](SaveAsTextFile(t.Context(), Local(m), savedPanic.With(0), "/a/out"))
	if !isUser {
		t.Error("the panic is no UserError")
	}
	wantTree(t, m, "/a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := SaveAsTextFile(ctx, Local(m), savedMany.With(0), "/a/out"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	wantTree(t, m, "/a")
	mine := errors.New("failed")
	_, err := RunSave(m, Invocation{Output: JobOutput{Path: "/a/out"}}, "j", func(job Invocation) ([]Result, error) {
		return nil, errors.Join(mine, m.MkdirAll("/a/out/theirs"))
	})
	if !errors.Is(err, mine) {
		t.Error(err)
	}
	wantTree(t, m, "/a/out", "theirs/")
}

// A full disk is an error that says so, and the job takes back what fitted.
func TestAFullDiskFailsTheJob(t *testing.T) {
	m := &MemDisk{Room: 8}
	err := SaveAsTextFile(t.Context(), Local(m), savedWords.With(5), "out")
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "part-0000") {
		t.Error(err)
	}
	wantTree(t, m, ".")
}

// attempt writes the part of an attempt.
func attempt(t *testing.T, o JobOutput, m *MemDisk, partition, number int, text string) *AttemptOutput {
	t.Helper()
	a, err := o.Attempt(m, partition, number)
	if err != nil {
		t.Fatal(err)
	}
	f, err := a.Create()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return a
}

// Attempts write beside each other, as Hadoop's do; one commits, another leaves nothing, and one that commits later takes its place.
func TestAttemptsDoNotMeet(t *testing.T) {
	m := &MemDisk{}
	var over JobOutput
	_, err := RunSave(m, Invocation{Output: JobOutput{Path: "out"}}, "2026_0003", func(job Invocation) ([]Result, error) {
		o := job.Output
		over = o
		zero := attempt(t, o, m, 0, 0, "zero")
		one := attempt(t, o, m, 0, 1, "one")
		again := attempt(t, o, m, 0, 1, "again") // the same attempt, begun anew
		wantTree(t, m, "out", "_temporary/", "_temporary/0/", "_temporary/0/_temporary/",
			"_temporary/0/_temporary/attempt_2026_0003_m_000000_0/", `_temporary/0/_temporary/attempt_2026_0003_m_000000_0/part-00000 "zero"`,
			"_temporary/0/_temporary/attempt_2026_0003_m_000000_1/", `_temporary/0/_temporary/attempt_2026_0003_m_000000_1/part-00000 "again"`)
		if err := errors.Join(zero.Commit(), again.Commit(), attempt(t, o, m, 0, 2, "two").Abort()); err != nil {
			t.Error(err)
		}
		if err := one.Commit(); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		wantTree(t, m, "out", "_temporary/", "_temporary/0/", "_temporary/0/_temporary/", "_temporary/0/task_2026_0003_m_000000/",
			`_temporary/0/task_2026_0003_m_000000/part-00000 "again"`)
		if err := attempt(t, o, m, 0, 3, "three").Commit(); err != nil {
			t.Error(err)
		}
		attempt(t, o, m, 0, 4, "an attempt that was killed with its executor")
		return make([]Result, 1), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantTree(t, m, "out", `_SUCCESS ""`, `part-00000 "three"`)
	// An attempt that was left behind finds no folder to write to, and makes none.
	late, err := over.Attempt(m, 0, 5)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := late.Create(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "the job is over") {
		t.Error(err)
	}
	wantTree(t, m, "out", `_SUCCESS ""`, `part-00000 "three"`)
}

// A job whose parts are not where they should be fails, with what to do, and leaves nothing.
func TestAPartThatIsMissingFailsTheJob(t *testing.T) {
	m := &MemDisk{}
	_, err := RunSave(m, Invocation{Output: JobOutput{Path: "out"}}, "j", func(job Invocation) ([]Result, error) {
		return make([]Result, 2), attempt(t, job.Output, m, 0, 0, "zero").Commit()
	})
	if err == nil || !strings.Contains(err.Error(), "partition 1 was committed, and is not there: do all executors see") {
		t.Error(err)
	}
	wantTree(t, m, ".")
}

// An attempt that peers describe badly is a bad task.
func TestABadOutputIsABadTask(t *testing.T) {
	for _, o := range []JobOutput{{}, {Path: "out", Job: "../../x"}} {
		if _, err := o.Attempt(&MemDisk{}, 0, 0); !errors.Is(err, ErrBadTask) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := (JobOutput{Path: "out"}).Attempt(MemFS{}, 0, 0); !errors.Is(err, ErrBadTask) {
		t.Error(err)
	}
	if HadoopAttempt(2, 5) != 2<<16|5 {
		t.Error(HadoopAttempt(2, 5))
	}
}

// changed is a MemDisk with another Create or RemoveAll.
type changed struct {
	*MemDisk
	create    func(name string) (io.WriteCloser, error)
	removeAll func(name string) error
}

func (c changed) Create(name string) (io.WriteCloser, error) {
	if c.create != nil {
		return c.create(name)
	}
	return c.MemDisk.Create(name)
}

func (c changed) RemoveAll(name string) error {
	if c.removeAll != nil {
		if err := c.removeAll(name); err != nil {
			return err
		}
	}
	return c.MemDisk.RemoveAll(name)
}

// While a job's folder is removed tasks that are being killed may begin to write: they can make no folder in it. Those that write may
// keep a folder from being removed for a moment.
func TestTasksThatStillRunDoNotKeepTheFolder(t *testing.T) {
	m := &MemDisk{}
	var o JobOutput
	tries := 0
	c := changed{MemDisk: m, removeAll: func(name string) error {
		if path.Base(name) != temporaryFolder {
			return nil
		}
		late, err := o.Attempt(m, 0, 7)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := late.Create(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a late task wrote: %v", err)
		}
		if tries++; tries < 3 {
			return syscall.ENOTEMPTY
		}
		return nil
	}}
	mine := errors.New("failed")
	_, err := RunSave(c, Invocation{Output: JobOutput{Path: "out"}}, "j", func(job Invocation) ([]Result, error) {
		o = job.Output
		return nil, mine
	})
	if !errors.Is(err, mine) || errors.Is(err, syscall.ENOTEMPTY) || tries != 3 {
		t.Errorf("%v after %d tries", err, tries)
	}
	wantTree(t, m, ".")
}

type badClose struct{ io.WriteCloser }

func (badClose) Close() error { return syscall.EDQUOT }

// What a file system says only when a file is closed counts, too: for a part, and for _SUCCESS.
func TestWhatCloseReportsCounts(t *testing.T) {
	for _, name := range []string{"part-00000", successFile} {
		m := &MemDisk{}
		c := changed{MemDisk: m, create: func(at string) (io.WriteCloser, error) {
			f, err := m.Create(at)
			if err == nil && path.Base(at) == name {
				return badClose{f}, nil
			}
			return f, err
		}}
		if err := SaveAsTextFile(t.Context(), Local(c), savedWords.With(1), "out"); !errors.Is(err, syscall.EDQUOT) {
			t.Errorf("%s: %v", name, err)
		}
		wantTree(t, m, ".")
	}
}
