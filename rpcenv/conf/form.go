package conf

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Form is how values of one kind are written.
type Form[T any] struct {
	Name    string                  // its name in a table
	Want    string                  // what a user must write, after "want"
	Example string                  // a value that would do
	Parse   func(string) (T, error) // of a trimmed text
	Text    func(T) string          // a text that Parse reads as the same value
}

// MaxInt is Java's Integer.MAX_VALUE, which stands for no limit; Infinite is its text.
const (
	MaxInt   = 1<<31 - 1
	Infinite = "2147483647"
)

// Most forms are values; those with a unit are made by Durations and Sizes.
var (
	Ints = Form[int]{"int", "a whole number", "4", parseInt, strconv.Itoa}
	// Ints64 are Java's longs.
	Ints64 = Form[int64]{"long", "a whole number", "4", parseInt64, func(v int64) string { return strconv.FormatInt(v, 10) }}
	// Ports may be 0, any free port.
	Ports = Form[int]{"port", "a port from 0 to 65535 (0: any free one)", "7077", parsePort, strconv.Itoa}
	Bools = Form[bool]{"bool", "true or false", "true", parseBool, strconv.FormatBool}
	// Floats take neither NaN nor infinities.
	Floats = Form[float64]{"float", "a number", "0.5", parseFloat, func(v float64) string {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}}
	Texts = Form[string]{
		"string", "a text", "a-text", func(s string) (string, error) { return s, nil },
		func(v string) string { return v },
	}
	// Lists drop empty parts, as Spark's Utils.stringToSeq.
	Lists = Form[[]string]{"list", "words separated by commas", "a,b", parseList, func(v []string) string {
		return strings.Join(v, ",")
	}}
)

// Enum takes one of words, in upper or lower case; the value is the word as listed. The first word may be empty.
func Enum(words ...string) Form[string] {
	want := "one of " + strings.Join(words, ", ")
	if words[0] == "" {
		want = "nothing or one of " + strings.Join(words[1:], ", ")
	}
	return Form[string]{
		Name: strings.Join(words, "|"), Want: want, Example: words[len(words)-1],
		Parse: func(s string) (string, error) {
			for _, w := range words {
				if strings.EqualFold(s, w) {
					return w, nil
				}
			}
			return "", errors.New("no such choice")
		},
		Text: Texts.Text,
	}
}

// Filled refuses the empty text.
func Filled(f Form[string]) Form[string] {
	parse := f.Parse
	f.Want += ", not empty"
	f.Parse = func(s string) (string, error) {
		if s == "" {
			return "", errors.New("it is empty")
		}
		return parse(s)
	}
	return f
}

// AtLeast narrows a form to values of least and more.
func AtLeast[T cmp.Ordered](f Form[T], least T) Form[T] {
	return narrow(f, " of at least "+f.Text(least), f.Text(least), func(v T) string {
		if v < least {
			return "too small"
		}
		return ""
	})
}

// Above narrows a form to values greater than bound.
func Above[T cmp.Ordered](f Form[T], bound T) Form[T] {
	return narrow(f, " above "+f.Text(bound), f.Example, func(v T) string {
		if v <= bound {
			return "too small"
		}
		return ""
	})
}

// Between narrows a form to values from least to most.
func Between[T cmp.Ordered](f Form[T], least, most T) Form[T] {
	return narrow(f, " from "+f.Text(least)+" to "+f.Text(most), f.Text(least), func(v T) string {
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
func narrow[T any](f Form[T], words, inside string, wrong func(T) string) Form[T] {
	parse := f.Parse
	f.Want += words
	f.Parse = func(s string) (T, error) {
		v, err := parse(s)
		if err == nil {
			if w := wrong(v); w != "" {
				err = errors.New(w)
			}
		}
		return v, err
	}
	// Errors show the example as a value that would do, so it has to be in the range.
	if _, err := f.Parse(f.Example); err != nil {
		f.Example = inside
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
