package main

import (
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/rpcenv/oneline"
)

// streams are what a command reads and prints to. They are files, since the processes that a command starts inherit them.
type streams struct{ in, out, err *os.File }

// json prints v for people and programs, indented.
func (s streams) json(v any) error {
	e := json.NewEncoder(s.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// warn prints warnings, a line each.
func (s streams) warn(list []string) {
	for _, w := range list {
		oneline.Fprintf(s.err, "Warning: %s\n", w)
	}
}

// note prints a problem that does not stop a command.
func (s streams) note(err error) {
	if err != nil {
		fmt.Fprintln(s.err, "note:", err)
	}
}

// window is the size of the terminal that out is; false: it is none.
func (s streams) window() (rows, columns int, terminal bool) {
	size, err := unix.IoctlGetWinsize(int(s.out.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0, false
	}
	return int(size.Row), int(size.Col), true
}
