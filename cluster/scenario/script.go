package scenario

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// Script is a script's text, block by block.
type Script struct {
	// Name is its file, as errors name it.
	Name string
	// About is the comment that it begins with, without the number signs.
	About  string
	Blocks []Block
}

// Block is verbs and the output that is expected of them.
type Block struct {
	// Line is where in the file the first verb stands, from 1.
	Line  int
	Verbs []string
	Want  string
}

// largestScript is how many bytes a script may have.
const largestScript = 4 << 20

// Load reads a script's file.
func Load(path string) (_ *Script, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err := io.ReadAll(io.LimitReader(f, largestScript+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > largestScript:
		return nil, fmt.Errorf("%s: a script has %d bytes at most: is it one?", path, largestScript)
	}
	return Parse(path, string(text))
}

// separator stands between the verbs of a block and their output.
const separator = "----"

// Parse reads a script. Its error is a *syntax.Error with file, line and column.
func Parse(name, text string) (*Script, error) {
	s := &Script{Name: name}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	i := 0
	for i < len(lines) {
		line := strings.TrimSpace(lines[i])
		switch {
		case line == "":
			i++
		case strings.HasPrefix(line, "#"):
			if len(s.Blocks) == 0 { // later comments are for readers of the file alone
				s.About += strings.TrimSpace(strings.TrimPrefix(line, "#")) + "\n"
			}
			i++
		default:
			b, next, err := parseBlock(lines, i)
			if err != nil {
				return nil, syntax.At(name, i+1, err)
			}
			s.Blocks = append(s.Blocks, b)
			i = next
		}
	}
	if len(s.Blocks) == 0 {
		return nil, syntax.At(name, 1, fmt.Errorf("it has no block: want verbs, a line %s, and the output", separator))
	}
	if _, err := ParseHeader(s.Blocks[0].Verbs[0]); err != nil {
		return nil, syntax.At(name, s.Blocks[0].Line, err)
	}
	return s, nil
}

// parseBlock reads the block that begins at line i, and says where the next begins.
func parseBlock(lines []string, i int) (Block, int, error) {
	b := Block{Line: i + 1}
	for ; i < len(lines) && lines[i] != separator; i++ {
		if strings.TrimSpace(lines[i]) == "" {
			break
		}
		b.Verbs = append(b.Verbs, lines[i])
	}
	if i == len(lines) || lines[i] != separator {
		return Block{}, 0, fmt.Errorf("the block has no line %s", separator)
	}
	i++
	// An empty line ends the output. Output with empty lines of its own stands between doubled separators, as in datadriven.
	double := i < len(lines) && lines[i] == separator
	if double {
		i++
	}
	begin := i
	for i < len(lines) && (double && (lines[i] != separator || i+1 < len(lines) && lines[i+1] != separator) || !double && lines[i] != "") {
		i++
	}
	if i > begin {
		b.Want = strings.Join(lines[begin:i], "\n") + "\n"
	}
	if double {
		i += 2
	}
	return b, min(i, len(lines)), nil
}

// String is the script's text, which Parse reads.
func (s *Script) String() string {
	var out strings.Builder
	for line := range strings.Lines(s.About) {
		out.WriteString(strings.TrimSpace("# "+line) + "\n")
	}
	for i, b := range s.Blocks {
		if i > 0 {
			out.WriteString("\n")
		}
		for _, v := range b.Verbs {
			out.WriteString(v + "\n")
		}
		out.WriteString(separator + "\n")
		if strings.Contains(b.Want, "\n\n") {
			out.WriteString(separator + "\n" + b.Want + separator + "\n" + separator + "\n")
			continue
		}
		out.WriteString(b.Want)
	}
	return out.String()
}

// verb is the first line of the script that begins with a verb; empty: no line does.
func (s *Script) verb(word string) syntax.Command {
	for _, b := range s.Blocks {
		for _, line := range b.Verbs {
			if c := syntax.ParseLine(line); c.Verb == word {
				return c
			}
		}
	}
	return syntax.Command{}
}

// Invariants are the rules that the script says it is about.
func (s *Script) Invariants() []string { return s.verb("invariants").Args }

// Historic is the fault that --compat upstream turns on; empty, with the reason, when nothing can express it.
func (s *Script) Historic() (fault, why string) {
	c := s.verb("historic")
	switch {
	case len(c.Args) == 0:
		return "", "the script names no historic fault"
	case c.Args[0] == "none":
		return "", strings.Join(c.Args[1:], " ")
	}
	return c.Args[0], ""
}
