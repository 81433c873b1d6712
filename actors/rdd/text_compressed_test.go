package rdd

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A compressed file gives the lines of what is in it, as one partition, whatever their length; of several parts that follow each other it
// gives those of all.
func TestCompressedFiles(t *testing.T) {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("long", readChunk)
	text := "a\r\n" + long + "\n\nb"
	m := written(t, map[string]string{
		"/d/1.gz": gzipped(t, text), "/d/2.gz": gzipped(t, "c\n") + gzipped(t, "d\n"), "/d/3.zst": string(e.EncodeAll([]byte(text), nil)),
	})
	got, err := Collect(t.Context(), Local(m), answerLines.With(textArgs{"/d", 9}))
	one := `["a","` + long + `","","b"]`
	if err != nil || len(got) != 3 || got[0] != one || got[1] != `["c","d"]` || got[2] != one {
		t.Errorf("%d partitions, %v", len(got), err)
	}
}

// A file that was damaged or cut fails the job, and the error names it.
func TestDamagedCompressedFiles(t *testing.T) {
	whole := gzipped(t, strings.Repeat("a line\n", 1000))
	flipped := []byte(whole)
	flipped[len(flipped)-5]++ // of its checksum
	for name, data := range map[string]string{
		"/a.gz": whole[:len(whole)-9], "/b.gz": whole[:3], "/c.gz": string(flipped), "/d.bz2": "plain", "/e.zst": "plain", "/f.deflate": "plain",
	} {
		_, err := Collect(t.Context(), Local(written(t, map[string]string{name: data})), fileLines.With(textArgs{name, 2}))
		if err == nil || !strings.Contains(err.Error(), name+": what it has compressed cannot be read") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestALineOfACompressedFileIsBounded(t *testing.T) {
	data := gzipped(t, strings.Repeat("x", 3*readChunk)+"\n")
	c, err := newCompressedReader(strings.NewReader(data), textSplit{path: "x.gz", end: int64(len(data)), size: int64(len(data))}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	c.longest = readChunk
	if _, _, err := c.next(); err == nil || !strings.Contains(err.Error(), "more than 262144 bytes") {
		t.Error(err)
	}
}
