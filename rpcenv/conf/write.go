package conf

import (
	"fmt"
	"strings"
)

// FormatProperties is a file that ParseProperties reads as pairs, in their order. Blanks at the ends of values get lost, as
// in Spark.
func FormatProperties(pairs []Pair) string {
	var out strings.Builder
	for _, p := range pairs {
		writeEscaped(&out, p.Key, true)
		out.WriteByte('=')
		writeEscaped(&out, p.Value, false)
		out.WriteByte('\n')
	}
	return out.String()
}

// writeEscaped writes a key or a value so that its characters mean themselves.
func writeEscaped(out *strings.Builder, s string, key bool) {
	// Only what would mean something else is escaped: files stay easy to read.
	for i, r := range s {
		switch {
		case r == '\t':
			out.WriteString(`\t`)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\f':
			out.WriteString(`\f`)
		case r < ' ':
			fmt.Fprintf(out, `\u%04x`, r)
		case r == '\\', key && strings.ContainsRune("=: #!", r), i == 0 && r == ' ':
			out.WriteByte('\\')
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
}
