//coherer:pure

package fair

import (
	"fmt"
	"strings"
)

// ErrorClass is which exception Hadoop throws for a bad allocation file.
type ErrorClass string

// The classes of errors in allocation files, by their last names.
const (
	BadAllocation ErrorClass = "AllocationConfigurationException" // it says what cannot be
	BadNumber     ErrorClass = "NumberFormatException"            // a number is none
	BadXML        ErrorClass = "SAXParseException"                // it is no XML document
	BadText       ErrorClass = "NullPointerException"             // an element that needs a text has nothing in it
	BadChild      ErrorClass = "ClassCastException"               // it begins with another element
	BadRule       ErrorClass = "IOException"                      // a rule has one in it that cannot be there
	BadResource   ErrorClass = "ResourceNotFoundException"        // it names a resource that there is not
)

// FileError is why an allocation file cannot be used: what is wrong, where, and what to do.
type FileError struct {
	Class ErrorClass
	Line  int    // in the file, from 1; 0 is the whole file
	Where string // the queue or the element, "" when Text says it
	Text  string
}

func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString("allocation file")
	if e.Line > 0 {
		fmt.Fprintf(&b, ", line %d", e.Line)
	}
	b.WriteString(": ")
	if e.Where != "" {
		b.WriteString(e.Where + ": ")
	}
	b.WriteString(e.Text)
	return b.String()
}

func malformed(line int, text string) *FileError {
	return &FileError{Class: BadXML, Line: line, Text: text}
}

func refused(e *element, where, format string, args ...any) *FileError {
	return &FileError{Class: BadAllocation, Line: e.line, Where: where, Text: fmt.Sprintf(format, args...)}
}
