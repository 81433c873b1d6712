// Package oneline keeps text that others chose in its line of a log, its cell of a table and its column of a screen.
//
// An application's name, a setting's value or another process's error may hold line feeds, tabs and the sequences that steer a
// terminal. Whatever prints such text passes it through here first.
//
//coherer:pure
package oneline

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text is s with each rune that no screen draws written as Go would write it in quotes, so that a reader sees what s holds:
// a line feed is \n, an escape is \x1b, a byte that is no UTF-8 is \xff. All else stays as it is, a backslash too: Text of
// C:\temp is C:\temp. Text of a Text is that Text.
func Text(s string) string {
	bad := strings.IndexFunc(s, unseen)
	if bad < 0 {
		return s
	}
	out := []byte(s[:bad])
	for rest := s[bad:]; rest != ""; {
		// A byte that is no UTF-8 is a RuneError of size 1; U+FFFD itself is a larger one, and can be seen.
		r, size := utf8.DecodeRuneInString(rest)
		if unseen(r) && (r != utf8.RuneError || size == 1) {
			quoted := strconv.Quote(rest[:size])
			out = append(out, quoted[1:len(quoted)-1]...)
		} else {
			out = append(out, rest[:size]...)
		}
		rest = rest[size:]
	}
	return string(out)
}

// Lines is s with each of its lines a Text: for a stack, or what a compiler says. A tab is four blanks there.
func Lines(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\t", "    "), "\n")
	for i, line := range lines {
		lines[i] = Text(line)
	}
	return strings.Join(lines, "\n")
}

// unseen reports a rune that steers instead of being drawn. RuneError is one: of a byte that is no UTF-8, or U+FFFD itself.
func unseen(r rune) bool { return r == utf8.RuneError || !strconv.IsGraphic(r) }

// Fprintf writes like fmt.Fprintf. Arguments that are strings, errors or fmt.Stringers appear as their Text; the line feeds
// and tabs of format hold.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	return fmt.Fprintf(w, format, texts(args)...)
}

func texts(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		switch a := arg.(type) {
		case string:
			out[i] = Text(a)
		case error, fmt.Stringer:
			out[i] = Text(fmt.Sprint(a))
		default:
			out[i] = a
		}
	}
	return out
}
