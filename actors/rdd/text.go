package rdd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
)

// maxSplit is the length in bytes of the longest split of a text file: Hadoop's default block of its local file system.
const maxSplit = 32 << 20

// TextFile is the Dataset of the lines of a file, in order and without their ends. Path may also name a folder, or be a pattern
// (path.Match): then the files follow each other in the order of their names.
//
// A line ends at \n or \r\n; a \r alone is part of the line. The last line may lack its end; after a final end there is no further
// line. Any other bytes pass unchanged: a line need not be UTF-8.
//
// The file is cut as Hadoop cuts it, into splits of size / minPartitions bytes and at most 32 MiB; the last one may be a tenth longer.
// minPartitions below 1 means 1, and an empty file has no split. A split owns the lines that begin in it or at its end, so none is cut or
// read twice. The size that the driver saw holds for all tasks: what is appended later is not read, and a file that got shorter fails the
// task.
//
// In a folder, TextFile leaves out files whose names begin with _ or ., so it reads what SaveAsTextFile wrote; a folder in the folder
// is an error. It cuts each of several files by itself; size is then that of all. A folder without files has no
// partition.
//
// A file NAME.gz, NAME.bz2, NAME.zst or NAME.deflate is decompressed, and is one split. Other compressed files, such as NAME.snappy, are an
// error.
//
// A relative path is relative to the working directory of the driver, for its executors too.
func TextFile(path string, minPartitions int) Dataset[string] {
	minPartitions = max(minPartitions, 1)
	n := &node{op: "TextFile", params: fmt.Sprintf("path=%q minPartitions=%d", path, minPartitions)}
	if path == "" { // not the working directory
		n.err = fmt.Errorf("%w: TextFile needs the path of a file", ErrBadJob)
	}
	if minPartitions > maxPartitions {
		n.err = fmt.Errorf("%w: TextFile with %d partitions; give at most %d", ErrBadJob, minPartitions, maxPartitions)
	}
	n.split = func(files FS) (splits [][]byte, version string, err error) {
		all, version, err := filesOf(files, path)
		if err != nil {
			return nil, "", fmt.Errorf("rdd: splits of text file: %w", err)
		}
		return splitsOf(all, minPartitions), version, nil
	}
	return newDataset(n, func(r *run, partition int) iter.Seq[string] {
		return func(yield func(string) bool) { readText(r, part{r.number(n), partition}, yield) }
	})
}

// textSplit is the part [start, end) of a text file that the driver saw at path with size bytes.
type textSplit struct {
	path             string
	start, end, size int64
}

func (s textSplit) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(s.start))
	b = binary.AppendUvarint(b, uint64(s.end-s.start))
	return append(binary.AppendUvarint(b, uint64(s.size)), s.path...)
}

func decodeTextSplit(b []byte) (textSplit, error) {
	var v [3]uint64
	for i := range v {
		x, n := binary.Uvarint(b)
		if n <= 0 || x > 1<<62 {
			return textSplit{}, fmt.Errorf("%w: split of a text file cannot be read", ErrBadTask)
		}
		v[i], b = x, b[n:]
	}
	s := textSplit{path: string(b), start: int64(v[0]), end: int64(v[0] + v[1]), size: int64(v[2])}
	if s.path == "" || v[0]+v[1] > v[2] { // unsigned, which both together do not exceed
		return textSplit{}, fmt.Errorf("%w: split of a text file cannot be read", ErrBadTask)
	}
	return s, nil
}

// readText yields the lines of a partition of a text file. The file is closed however the iteration ends.
func readText(r *run, of part, yield func(string) bool) {
	split, err := decodeTextSplit(r.split.parts[of])
	if err != nil {
		r.fail(err)
	}
	path := split.path
	if r.task.FS == nil {
		r.fail(fmt.Errorf("%w: no file system to read %s from", ErrBadTask, path))
	}
	f, err := r.task.FS.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w, where the driver had it when the job was submitted: give all nodes the same file", err)
	}
	if err != nil {
		r.fail(fmt.Errorf("rdd: read text file: %w", err))
	}
	defer f.Close()
	// A longer file is fine: what was appended since is in no split.
	if f.Size() < split.size {
		r.fail(fmt.Errorf("rdd: read text file %s: it has %d bytes here and had %d when the job was submitted: "+
			"give all nodes the same file, and do not shorten it while the job runs", path, f.Size(), split.size))
	}
	onRead := func(n int) {
		// A long line passes no tick while it is read.
		r.check()
		if r.task.OnInput != nil {
			r.task.OnInput(int64(n))
		}
	}
	next := newLineReader(f, split, onRead).next
	if isCompressed(path) {
		lines, err := newCompressedReader(f, split, onRead)
		if err != nil {
			r.fail(fmt.Errorf("rdd: read text file %s: %w", path, err))
		}
		next = lines.next
	}
	for {
		line, ok, err := next()
		if err != nil {
			r.fail(fmt.Errorf("rdd: read text file %s: %w", path, err))
		}
		if !ok {
			return
		}
		r.read()
		if !yield(line) {
			return
		}
	}
}
