package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// special letters end a word that is not in quotes.
const special = `"'()[]{}=,`

// word reads what is not in quotes; empty at a special letter or the end.
func (p *parser) word() string {
	rest := p.text[p.pos:]
	end := strings.IndexFunc(rest, func(r rune) bool { return r <= ' ' || strings.ContainsRune(special, r) })
	if end < 0 {
		end = len(rest)
	}
	p.pos += end
	return rest[:end]
}

// textWord reads a word, in quotes or without.
func (p *parser) textWord() (string, error) {
	begin := p.pos
	if !strings.HasPrefix(p.text[begin:], `"`) {
		word := p.word()
		switch word {
		case "":
			return "", p.errorf(begin, "want a value%s", p.found())
		case "…":
			return "", p.errorf(begin, "… stands for what was not printed: write it out")
		}
		return word, nil
	}
	quoted, err := strconv.QuotedPrefix(p.text[begin:])
	if err != nil {
		return "", p.errorf(begin, "these quotes do not end, or hold what Go's may not")
	}
	p.pos += len(quoted)
	return strconv.Unquote(quoted)
}

// key reads NAME=.
func (p *parser) key(closing byte) (string, error) {
	begin := p.pos
	if begin == len(p.text) {
		return "", p.errorf(begin, "want %c", closing)
	}
	name, err := p.textWord()
	if err != nil && p.pos == begin {
		return "", p.errorf(begin, "want FIELD=VALUE or %c%s", closing, p.found())
	}
	if err != nil {
		return "", err
	}
	if !p.take('=') {
		return "", p.errorf(p.pos, "want = behind %s", name)
	}
	return name, nil
}

// found says which letter stands where another was wanted.
func (p *parser) found() string {
	if p.pos == len(p.text) {
		return ""
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	return ", not " + strconv.Quote(string(r))
}

// take reads a letter if it is there.
func (p *parser) take(c byte) bool {
	if p.pos == len(p.text) || p.text[p.pos] != c {
		return false
	}
	p.pos++
	return true
}

// blanks reads them.
func (p *parser) blanks() {
	for p.take(' ') || p.take('\t') {
	}
}

// closed reads blanks and then the closing bracket, if it is there.
func (p *parser) closed(c byte) bool {
	p.blanks()
	return p.take(c)
}

// between wants a blank or a closing bracket behind a value.
func (p *parser) between() error {
	if p.pos < len(p.text) && !strings.ContainsRune(" \t)]}", rune(p.text[p.pos])) {
		return p.errorf(p.pos, "want a blank between values%s", p.found())
	}
	return nil
}
