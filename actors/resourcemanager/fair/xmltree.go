//coherer:pure

package fair

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxFileSize bounds an allocation file, in bytes.
const maxFileSize = 8 << 20

// maxDepth bounds the nesting of elements.
const maxDepth = 100

// element is one XML element. Names have their prefixes, as in a DOM that ignores namespaces.
type element struct {
	name     string
	attrs    []xml.Attr
	line     int
	children []*element
	text     string // up to the first child, without comments
	hasText  bool   // it has text before its first child
	empty    bool   // it has nothing between its tags
}

func (e *element) attr(name string) string {
	for _, a := range e.attrs {
		if tagName(a.Name) == name {
			return a.Value
		}
	}
	return ""
}

// parseXML reads a document with the strictness of Hadoop's parser: one top element, nothing after it, and no document type, whose
// entities could make a small file a large one.
func parseXML(data []byte) (*element, error) {
	if len(data) > maxFileSize {
		return nil, malformed(0, "it has more than 8 MiB; an allocation file is smaller")
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	d.CharsetReader = latin1
	b := builder{}
	for {
		start := d.InputOffset()
		token, err := d.RawToken() // raw: prefixes stay, and builder checks the nesting
		line, _ := d.InputPos()
		if errors.Is(err, io.EOF) {
			return b.done(line)
		}
		if err != nil {
			if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
				return nil, malformed(syntax.Line, syntax.Msg)
			}
			return nil, malformed(line, err.Error())
		}
		if err := b.take(token, line, start == 0); err != nil {
			return nil, err
		}
	}
}

// builder builds the tree from tokens.
type builder struct {
	top  *element
	open []*element
}

func (b *builder) take(token xml.Token, line int, first bool) error {
	switch t := token.(type) {
	case xml.StartElement:
		return b.start(t, line)
	case xml.EndElement:
		if len(b.open) == 0 || b.open[len(b.open)-1].name != tagName(t.Name) {
			return malformed(line, "</"+tagName(t.Name)+"> closes an element that is not open")
		}
		b.open = b.open[:len(b.open)-1]
	case xml.CharData:
		return b.chars(string(t), line)
	case xml.Directive:
		return malformed(line, "it has a document type declaration (<!...>); take it out")
	case xml.ProcInst:
		if t.Target == "xml" && !first {
			return malformed(line, "<?xml ...?> is not at the beginning; take out what stands before it")
		}
	}
	return nil
}

func (b *builder) start(t xml.StartElement, line int) error {
	e := &element{name: tagName(t.Name), attrs: slices.Clone(t.Attr), line: line, empty: true}
	for i, a := range e.attrs { // the decoder takes an attribute twice; Hadoop's parser does not
		if slices.ContainsFunc(e.attrs[:i], func(o xml.Attr) bool { return o.Name == a.Name }) {
			return malformed(line, "attribute "+tagName(a.Name)+" of <"+e.name+"> appears twice")
		}
	}
	switch {
	case len(b.open) == maxDepth:
		return malformed(line, "its elements are nested more than 100 deep")
	case len(b.open) > 0:
		above := b.open[len(b.open)-1]
		above.children, above.empty = append(above.children, e), false
	case b.top != nil:
		return malformed(line, "<"+e.name+"> comes after the end of <"+b.top.name+">; a file has one element at the top")
	default:
		b.top = e
	}
	b.open = append(b.open, e)
	return nil
}

func (b *builder) chars(text string, line int) error {
	if len(b.open) == 0 {
		if strings.TrimSpace(text) != "" {
			return malformed(line, "it has text outside of its top element")
		}
		return nil
	}
	// Hadoop reads the first node inside an element alone: text after a child means nothing.
	if e := b.open[len(b.open)-1]; len(e.children) == 0 {
		e.text, e.hasText, e.empty = e.text+text, true, false
	}
	return nil
}

func (b *builder) done(line int) (*element, error) {
	switch {
	case b.top == nil:
		return nil, malformed(line, "it has no element")
	case len(b.open) > 0:
		e := b.open[len(b.open)-1]
		return nil, malformed(line, "it ends before </"+e.name+">")
	}
	return b.top, nil
}

func tagName(n xml.Name) string {
	if n.Space != "" {
		return n.Space + ":" + n.Local
	}
	return n.Local
}

// latin1 reads the encodings that are not UTF-8 and need no table.
func latin1(charset string, input io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "iso-8859-1", "latin1", "us-ascii", "ascii":
	default:
		return nil, errors.New("encoding " + charset + " is unknown; write the file in UTF-8")
	}
	data, err := io.ReadAll(io.LimitReader(input, maxFileSize))
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, c := range data {
		out = utf8.AppendRune(out, rune(c))
	}
	return bytes.NewReader(out), nil
}
