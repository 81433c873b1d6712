package main

import (
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/coherer/coherer/messages/option"
)

// optionPath is the import path of the package that keeps comments at run time.
const optionPath = protogen.GoImportPath(messagesPath + "/option")

// writeComments writes f's comments as Go data, for `coherer explain` and other callers of option.Comment. It writes nothing for a
// Go package without a file that imports the options: such a package has no protocol.
func writeComments(gen *protogen.Plugin, f *protogen.File) {
	pairs := comments(f)
	if !packageUsesOptions(gen, f) || len(pairs) == 0 {
		return
	}
	g := gen.NewGeneratedFile(f.GeneratedFilenamePrefix+"_doc_coherer.go", f.GoImportPath)
	header(g, f)
	name := "comments" + strings.TrimPrefix(f.GoDescriptorIdent.GoName, "File")
	g.P()
	g.P("// ", name, " are the comments of ", f.Desc.Path(), ": a name, then what is said of it.")
	g.P("var ", name, " = [...]string{")
	for _, p := range pairs {
		g.P(strconv.Quote(string(p.name)), ", ", strconv.Quote(p.text), ",")
	}
	g.P("}")
	g.P()
	// The initial value is computed in every program that links the package: the comments are there without a call.
	g.P("var _ = ", optionPath.Ident("Describe"), "(", name, "[:])")
}

// packageUsesOptions reports whether f, or another file of its Go package in the request, imports the options.
func packageUsesOptions(gen *protogen.Plugin, f *protogen.File) bool {
	return slices.ContainsFunc(gen.Files, func(other *protogen.File) bool {
		return other.GoImportPath == f.GoImportPath && usesOptions(other)
	})
}

// usesOptions reports whether f imports the file of the option itself.
func usesOptions(f *protogen.File) bool {
	of := option.E_Protocol.TypeDescriptor().ParentFile().FullName()
	imports := f.Desc.Imports()
	for i := range imports.Len() {
		if imports.Get(i).FullName() == of {
			return true
		}
	}
	return false
}

// comment is the comment of one name in a .proto file.
type comment struct {
	name protoreflect.FullName
	text string
}

// comments are those of f's package statement, messages, fields, enums and values, in the file's order.
func comments(f *protogen.File) []comment {
	var out commentList
	// 2 is the field `package` of a FileDescriptorProto.
	out.add(f.Desc.Package(), f.Desc.SourceLocations().ByPath(protoreflect.SourcePath{2}).LeadingComments)
	out.enums(f.Enums)
	out.messages(f.Messages)
	return out
}

type commentList []comment

// add takes the first text that is not empty.
func (l *commentList) add(name protoreflect.FullName, texts ...string) {
	for _, text := range texts {
		if text = clean(text); text != "" {
			*l = append(*l, comment{name, text})
			return
		}
	}
}

func (l *commentList) addSet(name protoreflect.FullName, c protogen.CommentSet) {
	l.add(name, string(c.Leading), string(c.Trailing))
}

func (l *commentList) messages(ms []*protogen.Message) {
	for _, m := range ms {
		l.addSet(m.Desc.FullName(), m.Comments)
		for _, field := range m.Fields {
			l.addSet(field.Desc.FullName(), field.Comments)
		}
		l.enums(m.Enums)
		l.messages(m.Messages)
	}
}

func (l *commentList) enums(es []*protogen.Enum) {
	for _, e := range es {
		l.addSet(e.Desc.FullName(), e.Comments)
		for _, v := range e.Values {
			// The full name of a value stands beside its enum's; what readers look for is ENUM.VALUE.
			l.addSet(e.Desc.FullName().Append(v.Desc.Name()), v.Comments)
		}
	}
}

// clean takes the blank behind the comment sign from each line; lines stay as they are broken.
func clean(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n "), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(line, " "), " ")
	}
	return strings.Join(lines, "\n")
}
