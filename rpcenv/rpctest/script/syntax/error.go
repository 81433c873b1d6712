package syntax

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Error is what is wrong with a script, and where.
type Error struct {
	// File is the script's; empty when it has none, or none is known yet.
	File string
	// Line and Column count from 1, Column in letters. Line is 0 where only a line is known.
	Line, Column int
	// Err is what is wrong.
	Err error
}

// Error is FILE:LINE:COLUMN and the reason, as compilers write it.
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("column %d: %v", e.Column, e.Err)
	case e.File == "":
		return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.File, e.Line, e.Column, e.Err)
}

// Unwrap is the reason.
func (e *Error) Unwrap() error { return e.Err }

// In places err, which is about the part of a line that begins at the byte offset, in that line. An error that has no
// column of its own gets that of the offset.
func In(line string, offset int, err error) error {
	before := utf8.RuneCountInString(line[:offset])
	if e, ok := errors.AsType[*Error](err); ok && e.Line == 0 {
		return &Error{Column: before + e.Column, Err: e.Err}
	}
	return &Error{Column: before + 1, Err: err}
}

// At places err in a file. An error without a column gets the line's first.
func At(file string, line int, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return &Error{File: file, Line: line, Column: e.Column, Err: e.Err}
	}
	return &Error{File: file, Line: line, Column: 1, Err: err}
}
