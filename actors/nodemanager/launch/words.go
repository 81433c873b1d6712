//coherer:pure

package launch

import (
	"regexp"
	"strings"
)

// Words is what a shell would make of the container's command: the program and its arguments, without redirections, for a
// world that has no shell. Variables are those of Environment; other expansions are left as they are.
func (c *Container) Words() []string {
	env := c.Environment()
	lookup := func(name string) (string, bool) {
		for _, v := range env {
			if v.Name == name {
				return v.Value, true
			}
		}
		return "", false
	}
	var words []string
	skip := false
	for _, w := range split(unquote(c.Line(), lookup)) {
		switch {
		case skip:
			skip = false
		case w.quoted || !redirection.MatchString(w.text):
			words = append(words, w.text)
		default:
			skip = strings.HasSuffix(w.text, ">") || strings.HasSuffix(w.text, "<") // the file is the next word
		}
	}
	return words
}

var redirection = regexp.MustCompile(`^[0-9]?(>>?|<)`)

// unquote is what a shell makes of text between double quotes.
func unquote(text string, lookup func(string) (string, bool)) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$\"\\`", text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		case text[i] == '$':
			n := 0
			for i+1+n < len(text) && isNameByte(text[i+1+n], n) {
				n++
			}
			if value, ok := lookup(text[i+1 : i+1+n]); ok {
				b.WriteString(value)
				i += n
				continue
			}
			b.WriteByte('$')
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// word is a word of a command line; quoted when any of it was.
type word struct {
	text   string
	quoted bool
}

// split makes words of a line: blanks separate them, single and double quotes and backslashes keep what they enclose.
func split(line string) (words []word) {
	var w word
	var b strings.Builder
	begun := false
	end := func() {
		if begun {
			w.text = b.String()
			words = append(words, w)
		}
		w, begun = word{}, false
		b.Reset()
	}
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		ch := line[i]
		switch {
		case quote == '\'' && ch != quote, quote == '"' && ch != quote && ch != '\\':
			b.WriteByte(ch)
		case ch == quote:
			quote = 0
		case ch == '\\' && i+1 < len(line):
			i++
			// Between double quotes a backslash escapes these alone, elsewhere any byte.
			if quote == '"' && strings.IndexByte("$\"\\`", line[i]) < 0 {
				b.WriteByte(ch)
			}
			b.WriteByte(line[i])
			begun, w.quoted = true, true
		case ch == '\'' || ch == '"':
			quote, begun, w.quoted = ch, true, true // begun: '' is a word, too
		case ch == ' ' || ch == '\t' || ch == '\n':
			end()
		default:
			b.WriteByte(ch)
			begun = true
		}
	}
	end()
	return words
}
