package show

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/coherer/coherer/messages/option"
	"github.com/coherer/coherer/rpcenv/trace"
)

// TextOptions say how bodies are written for readers and scripts. The zero value shows everything as it is.
type TextOptions struct {
	// OmitPlace leaves out fields with role PLACE, which differ from run to run.
	OmitPlace bool
	// Substitute replaces the value of each string; nil leaves them.
	Substitute func(string) string
	// Omit reports which entries a Forest leaves out; nil shows all.
	Omit func(e *trace.Entry) bool
	// MaxList cuts lists and MaxString strings that are longer; 0 means no limit.
	MaxList, MaxString int
}

// BodyText is a body, as [trace.BodyJSON] takes it, in the form of scripts: "id=worker-1 cores=2 memory=2048". Nested messages
// stand in braces, lists in brackets, strings in quotes where they would not be one word. Of BULK fields only the
// presence is shown.
func BodyText(typ string, body []byte, opts TextOptions) string {
	object, cut := trace.BodyJSON(typ, body)
	return ObjectText(typ, object, cut, opts)
}

// ObjectText is BodyText of a body that was decoded before: object is what BodyJSON returned. What is no JSON object
// gives "". An unknown typ is no hindrance: then every field counts as a plain value.
func ObjectText(typ, object string, cut bool, opts TextOptions) string {
	var md protoreflect.MessageDescriptor
	if mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(typ)); err == nil {
		md = mt.Descriptor()
	}
	w := textWriter{TextOptions: opts, in: json.NewDecoder(strings.NewReader(object))}
	w.in.UseNumber()
	if object != "" {
		if t, err := w.in.Token(); err != nil || t != json.Delim('{') {
			return ""
		}
		if err := w.fields(md, 0); err != nil {
			return ""
		}
	}
	if cut {
		w.word("…")
	}
	return w.out.String()
}

// maxNesting bounds the nesting of what is shown: the text may come from a file that somebody else wrote.
const maxNesting = 34

// textWriter reads JSON tokens and writes the form of scripts.
type textWriter struct {
	TextOptions
	in  *json.Decoder
	out strings.Builder
	// hush is above zero while what is read is not shown.
	hush int
}

func (w *textWriter) write(s string) {
	if w.hush == 0 {
		w.out.WriteString(s)
	}
}

// word writes s, with a blank before unless it is the first of its group.
func (w *textWriter) word(s string) {
	if w.hush > 0 {
		return
	}
	if text := w.out.String(); text != "" && !strings.HasSuffix(text, "{") && !strings.HasSuffix(text, "[") {
		w.out.WriteByte(' ')
	}
	w.out.WriteString(s)
}

// fields writes what stands between the braces of an object, whose opening one was read.
func (w *textWriter) fields(md protoreflect.MessageDescriptor, depth int) error {
	for w.in.More() {
		t, err := w.in.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		var fd protoreflect.FieldDescriptor
		if md != nil {
			fd = md.Fields().ByJSONName(name)
		}
		role := roleOf(fd)
		hidden := role == option.FieldRole_PLACE && w.OmitPlace
		// What is not shown must be read all the same, to find its end: it goes through the same calls, hushed. A count and
		// not a bool, since a hidden field may lie within another one.
		if hidden {
			w.hush++
		}
		w.word(oneWord(name) + "=")
		if role == option.FieldRole_BULK { // after the name: that a bulk field has a value is shown
			w.write("…")
			w.hush++
		}
		err = w.value(fd, depth)
		if hidden {
			w.hush--
		}
		if role == option.FieldRole_BULK {
			w.hush--
		}
		if err != nil {
			return err
		}
	}
	_, err := w.in.Token()
	return err
}

func roleOf(fd protoreflect.FieldDescriptor) option.FieldRole {
	if fd == nil {
		return option.FieldRole_VALUE
	}
	role, _ := proto.GetExtension(fd.Options(), option.E_Role).(option.FieldRole)
	return role
}

func (w *textWriter) value(fd protoreflect.FieldDescriptor, depth int) error {
	t, err := w.in.Token()
	if err != nil {
		return err
	}
	if depth > maxNesting {
		return fmt.Errorf("trace: a body nested deeper than %d", maxNesting)
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '[' {
			return w.list(fd, depth+1)
		}
		w.write("{")
		var md protoreflect.MessageDescriptor
		if fd != nil && !fd.IsMap() { // the names in a map are keys: they have no field and no role
			md = fd.Message()
		}
		if err := w.fields(md, depth+1); err != nil {
			return err
		}
		w.write("}")
	case string:
		w.write(w.text(fd, t))
	case json.Number:
		w.write(t.String())
	case bool:
		w.write(strconv.FormatBool(t))
	default:
		w.write("null")
	}
	return nil
}

func (w *textWriter) list(fd protoreflect.FieldDescriptor, depth int) error {
	w.write("[")
	n, hushed := 0, false
	for ; w.in.More(); n++ {
		if w.MaxList > 0 && n == w.MaxList {
			w.word("…")
			w.hush++
			hushed = true
		}
		w.word("")
		if err := w.value(fd, depth); err != nil {
			return err
		}
	}
	if hushed {
		w.hush--
	}
	w.write("]")
	_, err := w.in.Token()
	return err
}

// text is a string as one word; of bytes, only their number.
func (w *textWriter) text(fd protoreflect.FieldDescriptor, s string) string {
	if fd != nil && fd.Kind() == protoreflect.BytesKind {
		return fmt.Sprintf("<%d bytes>", len(strings.TrimRight(s, "="))*3/4)
	}
	if w.Substitute != nil {
		s = w.Substitute(s)
	}
	if w.MaxString > 0 {
		s = cutString(s, w.MaxString)
	}
	return oneWord(s)
}

// cutString shortens s to n letters, the last of them an ellipsis.
func cutString(s string, n int) string {
	i := 0
	for at := range s {
		if i++; i == n && len(s) > at+1 && len([]rune(s[at:])) > 1 {
			return s[:at] + "…"
		}
	}
	return s
}

// oneWord puts s in quotes when it is empty or would not be read as one word.
func oneWord(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune(`"'()[]{}=,`, r) || r == '�' || !strconv.IsPrint(r)
	}) {
		return strconv.Quote(s)
	}
	return s
}

// failureOf reads the code and the text of a failure; what its record does not have is unknown.
func failureOf(e *trace.Entry) (code, text string) {
	var body struct{ Code, Message string }
	if err := json.Unmarshal([]byte(e.Body), &body); err != nil {
		return "", cmp.Or(e.Why, notRecorded)
	}
	if e.Cut && body.Message == "" {
		body.Message = notRecorded
	}
	return body.Code, body.Message
}
