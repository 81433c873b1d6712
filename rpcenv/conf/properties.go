package conf

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxProperties is the largest file that ParseProperties reads, in bytes.
const MaxProperties = 1 << 20

// maxProblems is how many problems ParseProperties reports.
const maxProblems = 10

// ParseProperties reads a file such as spark-defaults.conf: Java's properties in UTF-8. A line is a key, then white
// space, = or :, then a value; # and ! begin comments; a backslash at the end of a line continues it; \t, \n, \r, \f and
// \uXXXX stand for characters, a backslash before any other for that one. Values are trimmed as by spark-submit. Of a
// key that comes twice the last value holds.
//
// An error names lines, the first ten that are wrong; a file above MaxProperties bytes is an error.
func ParseProperties(r io.Reader) (map[string]string, error) {
	lines, err := parseLines(r)
	if err != nil {
		return nil, fmt.Errorf("properties: %w", err)
	}
	out := make(map[string]string, len(lines))
	for _, l := range lines {
		out[l.Key] = l.Value
	}
	return out, nil
}

// ReadProperties reads as ParseProperties does and keeps where each setting stands: path is the name of the file in
// origins and errors. The settings are in the order of the file.
func ReadProperties(r io.Reader, path string) ([]Setting, error) {
	lines, err := parseLines(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range lines {
		lines[i].From.Place = path
	}
	return lines, nil
}

// parseLines reads the settings of a file in the order of their lines; their origins have the line alone.
func parseLines(r io.Reader) ([]Setting, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxProperties+1))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if len(data) > MaxProperties {
		return nil, fmt.Errorf("longer than %d bytes: is this a file of KEY VALUE lines?", MaxProperties)
	}
	lines := lineReader{rest: strings.TrimPrefix(string(data), "\ufeff")} // a byte order mark is no part of the first key
	var out []Setting
	var problems []error
	for len(problems) < maxProblems {
		line, number, ok := lines.logical()
		if !ok {
			break
		}
		key, value, err := parseProperty(line)
		if err != nil {
			problems = append(problems, fmt.Errorf("line %d: %w", number, err))
			continue
		}
		out = append(out, Setting{Pair{key, value}, Origin{Line: number}})
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return out, nil
}

// ParsePair reads KEY=VALUE, the form of --conf. The value may contain = and may be empty. Blanks around both go.
func ParsePair(s string) (key, value string, err error) {
	key, value, found := strings.Cut(s, "=")
	key, value = trim(key), trim(value)
	if !found || key == "" {
		return "", "", fmt.Errorf("setting %q: want KEY=VALUE, for example spark.executor.memory=512m", s)
	}
	return key, value, nil
}

// lineReader gives logical lines: continued ones joined, comments and blank ones left out.
type lineReader struct {
	rest   string
	number int // of the last natural line
}

// logical is the next logical line, its escapes untouched, and the number of its first natural line.
func (l *lineReader) logical() (line string, number int, ok bool) {
	var joined strings.Builder
	for natural, more := l.natural(); more; natural, more = l.natural() {
		natural = strings.TrimLeft(natural, " \t\f")
		// Only a first line can be a comment: one that continues another is part of its value.
		if number == 0 {
			if natural == "" || natural[0] == '#' || natural[0] == '!' {
				continue
			}
			number = l.number
		}
		// An even number of backslashes at the end stands for half as many; an odd one continues the line by its last.
		body := strings.TrimRight(natural, `\`)
		if (len(natural)-len(body))%2 == 0 {
			joined.WriteString(natural)
			return joined.String(), number, true
		}
		joined.WriteString(natural[:len(natural)-1])
	}
	return joined.String(), number, number > 0
}

// natural is the next line as the file has it; \n, \r and \r\n end one.
func (l *lineReader) natural() (string, bool) {
	if l.rest == "" {
		return "", false
	}
	l.number++
	line, rest := l.rest, ""
	if end := strings.IndexAny(l.rest, "\r\n"); end >= 0 {
		line, rest = l.rest[:end], l.rest[end+1:]
		if l.rest[end] == '\r' {
			rest = strings.TrimPrefix(rest, "\n")
		}
	}
	l.rest = rest
	return line, true
}

// parseProperty splits a logical line.
func parseProperty(line string) (key, value string, err error) {
	if !utf8.ValidString(line) {
		return "", "", errors.New("not UTF-8: save the file in that encoding")
	}
	// Split before the escapes are resolved: an escaped separator is part of the key.
	end := keyEnd(line)
	rest := strings.TrimLeft(line[end:], " \t\f")
	if rest != "" && (rest[0] == '=' || rest[0] == ':') {
		rest = strings.TrimLeft(rest[1:], " \t\f")
	}
	if key, err = unescape(line[:end]); err != nil {
		return "", "", err
	}
	if value, err = unescape(rest); err != nil {
		return "", "", fmt.Errorf("%s: %w", key, err)
	}
	if key == "" {
		return "", "", errors.New("no key: want KEY VALUE or KEY=VALUE")
	}
	return key, trimValue(value), nil
}

// keyEnd is where the key of line ends: at the first separator that is not escaped.
func keyEnd(line string) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '=', ':', ' ', '\t', '\f':
			return i
		}
	}
	return len(line)
}

// trimValue trims all but line ends, which only an escape can have put there. It mirrors Utils.trimExceptCRLF.
func trimValue(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' && r != '\n' && r != '\r' })
}

// unescape resolves backslashes.
func unescape(s string) (string, error) {
	var out strings.Builder
	for {
		plain, rest, _ := strings.Cut(s, `\`)
		out.WriteString(plain)
		if rest == "" {
			return out.String(), nil
		}
		if rest[0] == 'u' {
			r, n, err := unicodeEscape(rest)
			if err != nil {
				return "", err
			}
			out.WriteRune(r)
			s = rest[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(rest)
		switch r {
		case 't':
			r = '\t'
		case 'n':
			r = '\n'
		case 'r':
			r = '\r'
		case 'f':
			r = '\f'
		}
		out.WriteRune(r)
		s = rest[n:]
	}
}

// unicodeEscape reads uXXXX at the start of s, or two of them that form a surrogate pair, and how long that is.
func unicodeEscape(s string) (r rune, length int, err error) {
	r, ok := hex4(s)
	if !ok {
		return 0, 0, errors.New(`\u wants four hexadecimal digits, as in \u00e9`)
	}
	if !utf16.IsSurrogate(r) {
		return r, 5, nil
	}
	// Java's characters have 16 bits: one beyond them is two escapes.
	if len(s) > 5 && s[5] == '\\' {
		low, _ := hex4(s[6:])
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 11, nil
		}
	}
	return 0, 0, fmt.Errorf(`\u%s is half a surrogate pair: want both halves, as in \ud83d\ude00`, s[1:5])
}

// hex4 reads u and four hexadecimal digits; false for anything else.
func hex4(s string) (rune, bool) {
	if len(s) < 5 || s[0] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:5], 16, 16)
	return rune(n), err == nil
}
