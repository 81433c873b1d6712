package conf

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// form is how values of one kind are written.
type form[T any] struct {
	name    string // its name in a table
	want    string // what a user must write, after "want"
	example string
	parse   func(string) (T, error) // of a trimmed text
	text    func(T) string          // a text that parse reads as the same value
}

// Most forms are values; those with a unit are made by durations and sizes.
var (
	ints = form[int]{"int", "a whole number", "4", parseInt, strconv.Itoa}
	// ints64 are Java's longs.
	ints64 = form[int64]{"long", "a whole number", "4", parseInt64, func(v int64) string { return strconv.FormatInt(v, 10) }}
	// ports may be 0, any free port.
	ports = form[int]{"port", "a port from 0 to 65535 (0: any free one)", "7077", parsePort, strconv.Itoa}
	bools = form[bool]{"bool", "true or false", "true", parseBool, strconv.FormatBool}
	// floats take neither NaN nor infinities.
	floats = form[float64]{"float", "a number", "0.5", parseFloat, func(v float64) string {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}}
	texts = form[string]{
		"string", "a text", "a-text", func(s string) (string, error) { return s, nil },
		func(v string) string { return v },
	}
	// lists drop empty parts, as Spark's Utils.stringToSeq.
	lists = form[[]string]{"list", "words separated by commas", "a,b", parseList, func(v []string) string {
		return strings.Join(v, ",")
	}}
)

// enum takes one of words, in upper or lower case; the value is the word as listed. The first word may be empty.
func enum(words ...string) form[string] {
	want := "one of " + strings.Join(words, ", ")
	if words[0] == "" {
		want = "nothing or one of " + strings.Join(words[1:], ", ")
	}
	return form[string]{
		name: strings.Join(words, "|"), want: want, example: words[len(words)-1],
		parse: func(s string) (string, error) {
			for _, w := range words {
				if strings.EqualFold(s, w) {
					return w, nil
				}
			}
			return "", errors.New("no such choice")
		},
		text: texts.text,
	}
}

// filled refuses the empty text.
func filled(f form[string]) form[string] {
	parse := f.parse
	f.want += ", not empty"
	f.parse = func(s string) (string, error) {
		if s == "" {
			return "", errors.New("it is empty")
		}
		return parse(s)
	}
	return f
}

// atLeast narrows a form to values of least and more.
func atLeast[T cmp.Ordered](f form[T], least T) form[T] {
	return narrow(f, " of at least "+f.text(least), f.text(least), func(v T) string {
		if v < least {
			return "too small"
		}
		return ""
	})
}

// above narrows a form to values greater than bound.
func above[T cmp.Ordered](f form[T], bound T) form[T] {
	return narrow(f, " above "+f.text(bound), f.example, func(v T) string {
		if v <= bound {
			return "too small"
		}
		return ""
	})
}

// between narrows a form to values from least to most.
func between[T cmp.Ordered](f form[T], least, most T) form[T] {
	return narrow(f, " from "+f.text(least)+" to "+f.text(most), f.text(least), func(v T) string {
		switch {
		case v < least:
			return "too small"
		case v > most:
			return "too large"
		}
		return ""
	})
}

// narrow adds a range to a form: its words, a value inside for when the form's own example is not, and what is wrong
// with a value, "" for nothing.
func narrow[T any](f form[T], words, inside string, wrong func(T) string) form[T] {
	parse := f.parse
	f.want += words
	f.parse = func(s string) (T, error) {
		v, err := parse(s)
		if err == nil {
			if w := wrong(v); w != "" {
				err = errors.New(w)
			}
		}
		return v, err
	}
	// Errors show the example as a value that would do, so it has to be in the range.
	if _, err := f.parse(f.example); err != nil {
		f.example = inside
	}
	return f
}

// parseInt reads a Java int: 32 bits everywhere.
func parseInt(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), numberError(err)
}

// parseInt64 reads a Java long.
func parseInt64(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, numberError(err)
}

func parsePort(s string) (int, error) {
	n, err := parseInt(s)
	if err == nil && (n < 0 || n > 65535) {
		err = errors.New("no port has that number")
	}
	return n, err
}

// parseFloat reads digits, point and exponent.
func parseFloat(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0) || strings.ContainsAny(s, "xX_")) {
		err = strconv.ErrSyntax
	}
	return v, numberError(err)
}

func numberError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange):
		return errors.New("the number does not fit")
	default:
		return errors.New("not a number of that form")
	}
}

func parseBool(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, errors.New("neither true nor false")
}

func parseList(s string) ([]string, error) { return splitList(s), nil }

func splitList(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = trim(part); part != "" {
			out = append(out, part)
		}
	}
	return slices.Clip(out)
}

// trim removes what Java's String.trim does: blanks and control characters at both ends.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}
