package rdd

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

var fileLines = Define("rdd test: lines of files", func(a textArgs) Dataset[string] { return TextFile(a.Path, a.Splits) })

type textArgs struct {
	Path   string
	Splits int
}

// written is a disk with files.
func written(t *testing.T, files map[string]string) *MemDisk {
	t.Helper()
	m := &MemDisk{}
	for name, text := range files {
		dir := name[:strings.LastIndexByte(name, '/')]
		err := m.MkdirAll(dir)
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = f.Write([]byte(text)); err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// A folder is its files in order of their names, without those of other programs; a pattern is what matches it.
func TestTextFilesOfFoldersAndPatterns(t *testing.T) {
	m := written(t, map[string]string{
		"/d/part-00001": "c\n", "/d/part-00000": "a\nb", "/d/_SUCCESS": "no\n", "/d/.x.crc": "no\n", "/d/empty": "",
		"/e1/x": "1\n", "/e2/x": "2\n", "/e2/y": "3\n", "/odd[1]/x": "4\n",
	})
	if err := m.MkdirAll("/none"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/d": "abc", "/d/": "abc", "/d/part-*": "abc", "/d/part-0000[1-9]": "c", "/e?/x": "12", "/e*": "123", "/*/y": "3", "/none": "", "/odd[1]/x": "4",
		"/d/_SUCCESS": "no", "/d/*": "abc", // what is named is read
	} {
		got, err := Collect(t.Context(), Local(m), fileLines.With(textArgs{path, 2}))
		if err != nil || strings.Join(got, "") != want {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
	for _, path := range []string{"/gone", "/d/*.gz", "/gone/*"} {
		if _, err := Collect(t.Context(), Local(m), fileLines.With(textArgs{path, 2})); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Collect(t.Context(), Local(m), fileLines.With(textArgs{"/d/[a", 2})); !errors.Is(err, ErrBadJob) {
		t.Error(err)
	}
}

// Each file is cut into its share of the splits, and one without bytes has none.
func TestSplitsOfSeveralFiles(t *testing.T) {
	m := written(t, map[string]string{"/d/a": strings.Repeat("x\n", 300), "/d/b": strings.Repeat("y\n", 100), "/d/c": ""})
	inv, err := fileLines.With(textArgs{"/d", 4}).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	splits, err := inv.Lineage.Splits(m, inv.Lineage.Last())
	if err != nil || len(splits) != 4 {
		t.Errorf("%d splits, %v; want 3, 1 and none", len(splits), err)
	}
	before := versionOf(t, inv.Lineage, m)
	f, err := m.Create("/d/d")
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	if versionOf(t, inv.Lineage, m) == before {
		t.Error("a new file leaves the version as it was")
	}
}

var joinedFiles = Define("rdd test: lines of two files", func(a [2]string) Dataset[string] {
	return Coalesce(Union(TextFile(a[0], 2), TextFile(a[1], 1)), 4)
})

var countedFile = Define("rdd test: words of a file", func(path string) Dataset[Pair[string, int64]] {
	return ReduceByKey(Map(TextFile(path, 2), func(l string) Pair[string, int64] { return PairOf(l, int64(1)) }),
		func(a, b int64) int64 { return a + b }, 2)
})

// A Dataset without a partition takes none from those that it is put together with.
func TestAFileWithoutBytesBesideOthers(t *testing.T) {
	m := written(t, map[string]string{"/a": "", "/b": "1\n2\n"})
	for _, paths := range [][2]string{{"/a", "/b"}, {"/b", "/a"}, {"/a", "/a"}} {
		want := strings.Count(strings.Join(paths[:], ""), "b") * 2
		if got, err := Collect(t.Context(), Local(m), joinedFiles.With(paths)); err != nil || len(got) != want {
			t.Errorf("%v: %q, %v", paths, got, err)
		}
	}
	if got, err := Collect(t.Context(), Local(m), countedFile.With("/a")); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func versionOf(t *testing.T, l *Lineage, m *MemDisk) string {
	t.Helper()
	_, version, err := l.SplitAll(m, []int{l.Last()})
	if err != nil {
		t.Fatal(err)
	}
	return version
}

// What would be read as if it were lines, a folder in a folder and a path that was forgotten are errors.
func TestNoText(t *testing.T) {
	m := written(t, map[string]string{"/d/a.lz4": "\x04\x22", "/d/b": "b\n", "/e/f/c": "c\n", "/e/a": "a\n"})
	compressed := "/d/a.lz4 is compressed"
	for path, want := range map[string]string{
		"": "needs the path", "/d/a.lz4": compressed, "/d": compressed, "/d/*": compressed, "/e": "/e/f is a folder in a folder", "/e/": "read /e/* for",
	} {
		lines, err := Collect(t.Context(), Local(m), fileLines.With(textArgs{path, 2}))
		if !errors.Is(err, ErrBadJob) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v; want an error of %q", path, lines, err, want)
		}
	}
	if got, err := Collect(t.Context(), Local(m), fileLines.With(textArgs{"/e/*", 1})); err != nil || strings.Join(got, "") != "ac" {
		t.Errorf("%q, %v", got, err)
	}
}
