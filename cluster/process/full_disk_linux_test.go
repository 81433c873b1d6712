package process

import (
	"path/filepath"
	"testing"

	"github.com/coherer/coherer/rpcenv/rpctest/smalldisk"
)

// A disk without room keeps no last words: the error names the full disk instead.
func TestAFullDiskIsWhyAProcessSaysNothing(t *testing.T) {
	stderr := filepath.Join(smalldisk.Dir(t, "size=64k"), "stderr")
	said := func(text string) (string, string) {
		offset := int64(len(text))
		return errorLine(stderr, offset), lastLines(stderr, offset, 10)
	}
	f, closeFile, err := Output{Path: stderr}.open()
	if err != nil {
		t.Fatal(err)
	}
	defer closeFile()
	if why, last := said(""); why != "" || last != "" {
		t.Errorf("with room: %q, %q", why, last)
	}
	const preamble = "the command\n"
	if _, err := f.WriteString(preamble); err != nil {
		t.Fatal(err)
	}
	smalldisk.Fill(t, filepath.Dir(stderr))
	want := stderr + " says nothing: no space left on device: the disk is full: free some space or choose another directory"
	if why, last := said(preamble); why != want || last != want {
		t.Errorf("without: %q, %q", why, last)
	}
	if _, err := f.WriteString("error: of the program\n"); err != nil { // the file's block has room
		t.Fatal(err)
	}
	if why, last := said(preamble); why != "error: of the program" || last != why {
		t.Errorf("with words that fit: %q, %q", why, last)
	}
}
