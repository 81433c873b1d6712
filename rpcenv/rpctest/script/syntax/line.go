package syntax

import (
	"fmt"
	"strings"
)

// Command is one line of a script: VERB ARG ... KEY=VALUE ..., in any order behind the verb.
type Command struct {
	// Verb is the first word; empty for an empty line.
	Verb string
	// Offset is where the verb begins, in bytes.
	Offset int
	// Args are the words that are no options.
	Args []string
	// Options are the words KEY=VALUE.
	Options []Option
}

// Option is KEY=VALUE.
type Option struct{ Key, Value string }

// ParseLine reads a line. A value is one word; the blanks behind the commas of a list do not count. A word that begins
// with a dash is an argument, as are those with an arrow or a star before the equals sign: patterns have these.
func ParseLine(line string) Command {
	c := Command{Offset: len(line) - len(strings.TrimLeft(line, " \t"))}
	// "a, b" becomes one word, or a list would end at its first blank.
	for i, word := range strings.Fields(strings.ReplaceAll(line, ", ", ",")) {
		key, value, ok := strings.Cut(word, "=")
		switch {
		case i == 0:
			c.Verb = word
		case ok && key != "" && !strings.HasPrefix(key, "-") && !strings.ContainsAny(key, ">*"):
			c.Options = append(c.Options, Option{key, value})
		default:
			c.Args = append(c.Args, word)
		}
	}
	return c
}

// Option is the value of an option, or def.
func (c Command) Option(key, def string) string {
	for _, o := range c.Options {
		if o.Key == key {
			return o.Value
		}
	}
	return def
}

// Need wants n arguments; form says which.
func (c Command) Need(n int, form string) error {
	if len(c.Args) != n {
		return fmt.Errorf("want: %s %s", c.Verb, form)
	}
	return nil
}
