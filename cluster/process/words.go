package process

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// The last words of a process are read from the end of its stderr: at most this many bytes, and of a line as many.
const (
	wordsRead = 16 << 10
	wordsLine = 500
)

// errorWords begin the line in which a process names the reason of its end: a command of ours, a Go program that crashes.
var errorWords = []string{"error: ", "panic: ", "fatal error: "}

// errorLine is the last line of an error in the file from offset on, or "". When nothing was written from offset on and the disk
// is full, the words did not fit: then it says that.
func errorLine(path string, offset int64) string {
	text, size := readEnd(path, offset, wordsRead)
	lines := strings.Split(text, "\n")
	for _, line := range slices.Backward(lines) {
		for _, begin := range errorWords {
			if strings.HasPrefix(line, begin) {
				return strings.ToValidUTF8(line[:min(len(line), wordsLine)], "")
			}
		}
	}
	if size == offset {
		return fullDisk(path)
	}
	return ""
}

// lastLines is the end of the file from offset on, at most n lines, for the end of an error's text. Nothing written: as errorLine.
func lastLines(path string, offset int64, n int) string {
	text, size := readEnd(path, offset, 4<<10)
	if size == offset {
		return fullDisk(path)
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// readEnd reads at most the last most bytes of a file from offset on, and returns its size. A file that cannot be read has a
// size of -1.
func readEnd(path string, offset, most int64) (string, int64) {
	f, err := os.Open(path)
	if err != nil {
		return "", -1
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", -1
	}
	if offset > info.Size() { // the output rolled over into a new file
		offset = 0
	}
	text, err := io.ReadAll(io.NewSectionReader(f, max(offset, info.Size()-most), most))
	if err != nil {
		return "", -1
	}
	return string(text), info.Size()
}

// fullDisk is the text for a file whose disk is full, or "".
func fullDisk(path string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &s); err != nil || s.Bavail > 0 {
		return ""
	}
	return path + " says nothing: " + explain(unix.ENOSPC).Error()
}
