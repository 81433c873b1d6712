package web

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/coherer/coherer/actors/ids"
)

// What a piece of a log may be, in bytes.
const (
	defaultPiece = 100 << 10
	mostPiece    = 1 << 20
)

// Bounds of what an executor may make a reader read: bytes that a compressed file unpacks to, and files of a directory.
const (
	mostUnpacked = 256 << 20
	mostFiles    = 10_000
)

// Piece is a part of a log: Text is [Start,End) of its Total bytes.
type Piece struct {
	Text              []byte
	Start, End, Total int64
}

// Read reads the wanted piece of the log below work. Parts that were rolled over are read as one file, the oldest first. Without
// offset it is the end of the log; an offset behind the end gives nothing. No link is followed and only plain files are opened:
// an executor may have made anything there. It mirrors LogPage.getLog.
func (l *Log) Read(work string) (p Piece, err error) {
	root, err := open(work, l.Dir)
	if err != nil {
		return p, err
	}
	defer root.Close()
	parts, err := openParts(root, l.Name)
	if err != nil {
		return p, unreadable(err)
	}
	// The sizes are those of now. A log that grows meanwhile shows its new lines in the next piece.
	for _, part := range parts {
		defer part.file.Close()
		p.Total += part.size
	}
	p.Start = max(p.Total-l.length, 0)
	if l.offset != nil {
		p.Start = min(max(*l.offset, 0), p.Total)
	}
	p.End = min(p.Start+l.length, p.Total)
	if p.Text, err = between(parts, p.Start, p.End); err != nil {
		return p, unreadable(err)
	}
	return p, nil
}

// open opens a directory below work, step by step: an os.Root follows links that stay below it, and no step may be a link.
func open(work string, dir []string) (*os.Root, error) {
	root, err := os.OpenRoot(work)
	if err != nil {
		return nil, NotFound("there is no work directory: %v", errors.Unwrap(err))
	}
	for _, step := range dir {
		next, err := enter(root, step)
		root.Close()
		if err != nil {
			return nil, err
		}
		root = next
	}
	return root, nil
}

// unreadable is a failure to read a log that exists.
func unreadable(err error) error {
	if _, ok := errors.AsType[*Problem](err); ok {
		return err
	}
	return &Problem{http.StatusInternalServerError, fmt.Errorf("the log cannot be read: %w", err)}
}

// enter opens a directory of a directory.
func enter(root *os.Root, name string) (*os.Root, error) {
	if !ids.Plain(name) {
		return nil, BadRequest("invalid log directory: %q is no plain name", name)
	}
	switch info, err := root.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, NotFound("there is no log directory %s", name)
	case err != nil:
		return nil, NotFound("log directory %s: %v", name, errors.Unwrap(err))
	case !info.IsDir():
		return nil, BadRequest("invalid log directory: %s is no directory", name)
	}
	sub, err := root.OpenRoot(name)
	if err != nil {
		return nil, NotFound("log directory %s: %v", name, errors.Unwrap(err))
	}
	return sub, nil
}

// part is one file of a log, and how many bytes of it there are when it is unpacked.
type part struct {
	file   *os.File
	packed bool
	size   int64
}

// openParts opens the files of a log: those that were rolled over, NAME--..., by their names, which are their times, and then
// NAME. It mirrors RollingFileAppender.getSortedRolledOverFiles.
func openParts(root *os.Root, name string) (out []part, err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	entries, err := dir.ReadDir(mostFiles)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err := errors.Join(err, dir.Close()); err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && (e.Name() == name || strings.HasPrefix(e.Name(), name+"--")) {
			names = append(names, e.Name())
		}
	}
	// By name, which is by age, and NAME itself last. A file comes before its own archive.
	slices.SortFunc(names, func(a, b string) int {
		last := func(s string) int {
			if s == name {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(unpacked(a), unpacked(b)), cmp.Compare(len(a), len(b)))
	})
	// An archive beside its file is still being written: the file counts.
	names = slices.CompactFunc(names, func(a, b string) bool { return unpacked(a) == unpacked(b) })
	if len(names) == 0 {
		return nil, NotFound("there is no %s", name)
	}
	for _, n := range names {
		p, err := openPart(root, n)
		if errors.Is(err, fs.ErrNotExist) { // it was removed since
			continue
		}
		if err != nil {
			for _, o := range out {
				o.file.Close()
			}
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func unpacked(name string) string { return strings.TrimSuffix(name, ".gz") }

func openPart(root *os.Root, name string) (part, error) {
	// Whatever the directory listed, it may be a link or a pipe by now; opening a pipe would wait for a writer.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return part{}, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = BadRequest("%s is no plain file", filepath.Base(name))
	}
	if err != nil {
		f.Close()
		return part{}, err
	}
	p := part{f, strings.HasSuffix(name, ".gz"), info.Size()}
	if p.packed {
		if p.size, err = p.measure(); err != nil {
			f.Close()
			return part{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return p, nil
}

// measure is how many bytes are in a compressed part.
func (p *part) measure() (int64, error) {
	z, err := gzip.NewReader(p.file)
	if err != nil {
		return 0, err
	}
	// The length at a gzip file's end is the writer's claim, modulo 4 GiB: only unpacking shows it.
	n, err := io.Copy(io.Discard, io.LimitReader(z, mostUnpacked+1))
	if n > mostUnpacked {
		return 0, BadRequest("it unpacks to more than %d bytes", mostUnpacked)
	}
	return n, err
}

// read are the bytes [from,to) of a part.
func (p *part) read(from, to int64) ([]byte, error) {
	if !p.packed {
		return io.ReadAll(io.NewSectionReader(p.file, from, to-from))
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(p.file)
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, z, from); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, to-from))
}

// between are the bytes [start,end) of parts, one behind the other. What a file has lost since it was measured is left out.
func between(parts []part, start, end int64) ([]byte, error) {
	out := make([]byte, 0, end-start)
	at := int64(0)
	for _, p := range parts {
		from, to := max(start-at, 0), min(end-at, p.size)
		at += p.size
		if from >= to {
			continue
		}
		text, err := p.read(from, to)
		if err != nil {
			return nil, err
		}
		out = append(out, text...)
	}
	return out, nil
}

// mostLogs is how many logs of a directory are listed.
const mostLogs = 1000

// ListLogs are the plain files of a directory below work, through no link.
func ListLogs(work string, dir []string) (out []os.FileInfo, err error) {
	root, err := open(work, dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(mostLogs)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && ids.Plain(e.Name()) {
			out = append(out, info)
		}
	}
	return out, nil
}
