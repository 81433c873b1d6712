//coherer:pure

package pools

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxFile is the greatest size of an allocation file, in bytes.
const MaxFile = 1 << 20

// maxDepth bounds the nesting of elements.
const maxDepth = 100

// element is an XML element as scala.xml shows it: names without prefixes.
type element struct {
	name     string
	pool     string // its attribute "name"
	children []*element
	text     strings.Builder // all text in it, that of its children included
}

// textOf is the text of all children of that name together, as NodeSeq.text has it.
func (e *element) textOf(name string) string {
	var all strings.Builder
	for _, child := range e.children {
		if child.name == name {
			all.WriteString(child.text.String())
		}
	}
	return all.String()
}

// parseXML reads a document of one element. A document type is refused, as Spark's parser does.
func parseXML(content []byte) (*element, error) {
	if len(content) > MaxFile {
		return nil, errors.New("it has more than 1 MiB; an allocation file is smaller")
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(content, []byte("\ufeff"))))
	var top *element
	for {
		token, err := d.Token()
		line, _ := d.InputPos()
		switch t := token.(type) {
		case nil:
			return atEnd(top, err, line)
		case xml.StartElement:
			if top != nil {
				return nil, fmt.Errorf("line %d: <%s> comes after the end of <%s>; a file has one element at the top", line, t.Name.Local, top.name)
			}
			if top, err = readElement(d, t, 1); err != nil {
				return nil, err
			}
		case xml.CharData:
			if strings.TrimSpace(string(t)) != "" {
				return nil, fmt.Errorf("line %d: it has text outside of its top element", line)
			}
		case xml.Directive:
			return nil, noDocumentType(line)
		}
	}
}

// atEnd is the answer when no token is left.
func atEnd(top *element, err error, line int) (*element, error) {
	switch {
	case !errors.Is(err, io.EOF):
		return nil, err
	case top == nil:
		return nil, fmt.Errorf("line %d: it has no element", line)
	}
	return top, nil
}

func noDocumentType(line int) error {
	return fmt.Errorf("line %d: it has a document type declaration (<!...>); take it out", line)
}

// readElement reads up to the end of the element that start began.
func readElement(d *xml.Decoder, start xml.StartElement, depth int) (*element, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("its elements are nested more than %d deep", maxDepth)
	}
	e := &element{name: start.Name.Local}
	for _, a := range start.Attr {
		if a.Name == (xml.Name{Local: "name"}) {
			e.pool = a.Value
		}
	}
	for {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.EndElement: // the decoder has compared its name
			return e, nil
		case xml.CharData:
			e.text.Write(t)
		case xml.Directive:
			line, _ := d.InputPos()
			return nil, noDocumentType(line)
		case xml.StartElement:
			child, err := readElement(d, t, depth+1)
			if err != nil {
				return nil, err
			}
			e.children = append(e.children, child)
			e.text.WriteString(child.text.String())
		}
	}
}
