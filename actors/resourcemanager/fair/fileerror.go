//coherer:pure

package fair

import (
	"fmt"
	"strings"
)

// ErrorClass is the exception that Hadoop throws for a bad allocation file.
type ErrorClass string

// The classes of errors in allocation files, by their last names.
const (
	BadAllocation ErrorClass = "AllocationConfigurationException" // a setting is invalid
	BadNumber     ErrorClass = "NumberFormatException"            // a number is not one
	BadXML        ErrorClass = "SAXParseException"                // it is not an XML document
	BadText       ErrorClass = "NullPointerException"             // an element that needs a text is empty
	BadChild      ErrorClass = "ClassCastException"               // an element that needs a text begins with another element
	BadRule       ErrorClass = "IOException"                      // a rule contains one that it cannot contain
	BadResource   ErrorClass = "ResourceNotFoundException"        // it names an unknown resource
)

// FileError is the reason why an allocation file cannot be used, the place, and the remedy.
type FileError struct {
	Class ErrorClass
	Line  int    // in the file, from 1; 0 is the whole file
	Where string // the queue or the element; "": Text names it
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
