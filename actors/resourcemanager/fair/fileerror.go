//coherer:pure

package fair

import (
	"fmt"
	"strings"
)

// errorClass is the exception that Hadoop throws for a bad allocation file.
type errorClass string

// The classes of errors in allocation files, by their last names.
const (
	badAllocation errorClass = "AllocationConfigurationException" // a setting is invalid
	badNumber     errorClass = "NumberFormatException"            // a number is not one
	badXML        errorClass = "SAXParseException"                // it is not an XML document
	badText       errorClass = "NullPointerException"             // an element that needs a text is empty
	badChild      errorClass = "ClassCastException"               // an element that needs a text begins with another element
	badRule       errorClass = "IOException"                      // a rule contains one that it cannot contain
	badResource   errorClass = "ResourceNotFoundException"        // it names an unknown resource
)

// fileError is the reason why an allocation file cannot be used, the place, and the remedy.
type fileError struct {
	Class errorClass
	Line  int    // in the file, from 1; 0 is the whole file
	Where string // the queue or the element; "": Text names it
	Text  string
}

func (e *fileError) Error() string {
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

func malformed(line int, text string) *fileError {
	return &fileError{Class: badXML, Line: line, Text: text}
}

func refused(e *element, where, format string, args ...any) *fileError {
	return &fileError{Class: badAllocation, Line: e.line, Where: where, Text: fmt.Sprintf(format, args...)}
}
