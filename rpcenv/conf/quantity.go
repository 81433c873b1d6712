package conf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// The units of sizes, in bytes.
const (
	Byte int64 = 1
	KiB        = 1 << 10 * Byte
	MiB        = 1 << 20 * Byte
)

// suffix is the name of a unit and how many of the smallest unit it is.
type suffix struct {
	name string
	size int64
}

// timeSuffixes are Spark's, the largest first, in nanoseconds; of two names for one unit the first is printed.
var timeSuffixes = []suffix{
	{"d", int64(24 * time.Hour)},
	{"h", int64(time.Hour)},
	{"m", int64(time.Minute)},
	{"min", int64(time.Minute)},
	{"s", int64(time.Second)},
	{"ms", int64(time.Millisecond)},
	{"us", int64(time.Microsecond)},
}

// sizeSuffixes are Spark's, the largest first, in bytes; of two names for one unit the first is printed.
var sizeSuffixes = []suffix{
	{"p", 1 << 50},
	{"pb", 1 << 50},
	{"t", 1 << 40},
	{"tb", 1 << 40},
	{"g", 1 << 30},
	{"gb", 1 << 30},
	{"m", MiB},
	{"mb", MiB},
	{"k", KiB},
	{"kb", KiB},
	{"b", Byte},
}

// Durations is a time with or without suffix; without it counts in unit, which is one of Spark's.
func Durations(unit time.Duration) Form[time.Duration] {
	name := printed(timeSuffixes, int64(unit))
	return Form[time.Duration]{
		Name:    "time in " + name,
		Want:    fmt.Sprintf("a time, a whole number with us, ms, s, m, h or d (without: %s),", name),
		Example: "30s",
		Parse: func(s string) (time.Duration, error) {
			// Beyond the range Java's TimeUnit.convert stays at its end.
			n, _, err := quantity(s, timeSuffixes, int64(unit))
			d, _ := times(n, int64(unit))
			return time.Duration(d), err
		},
		Text: DurationText,
	}
}

// Seconds is a time in seconds without suffix: a plain long in Spark.
var Seconds = Form[time.Duration]{
	Name: "seconds", Want: "whole seconds, a number without suffix,",
	Parse: func(s string) (time.Duration, error) {
		n, err := strconv.ParseInt(s, 10, 64)
		d, _ := times(n, int64(time.Second))
		return time.Duration(d), numberError(err)
	},
	Text: func(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) },
}

// Sizes is a size with or without suffix. The value counts in unit, and so does a number without suffix.
func Sizes(unit int64) Form[int64] {
	name := map[int64]string{Byte: "bytes", KiB: "KiB", MiB: "MiB"}[unit]
	return Form[int64]{
		Name:    "size in " + name,
		Want:    fmt.Sprintf("a size, a whole number with b, k, m, g, t or p (without: %s),", name),
		Example: "512m",
		Parse: func(s string) (int64, error) {
			n, fits, err := quantity(s, sizeSuffixes, unit)
			// Unlike a time, a size beyond the range is an error, as in Spark's ByteUnit.convertTo.
			if err == nil && !fits {
				err = errors.New("the number does not fit")
			}
			return n, err
		},
		Text: func(n int64) string {
			if b, fits := times(n, unit); fits {
				return quantityText(sizeSuffixes, b)
			}
			return strconv.FormatInt(n, 10)
		},
	}
}

// DurationText is d as a user would write it: in the largest unit that holds it whole.
func DurationText(d time.Duration) string { return quantityText(timeSuffixes, int64(d)) }

// quantity reads digits and perhaps a suffix, by default that of unit, and counts in unit, cutting the rest. When the
// result does not fit it is the largest or smallest int64, and fits is false.
func quantity(s string, suffixes []suffix, unit int64) (n int64, fits bool, err error) {
	// Two sorts of errors: a text that is no quantity (for a fraction it says how to write it whole), and letters that are no unit.
	s = strings.ToLower(s)
	digits := strings.TrimPrefix(s, "-")
	end := len(s) - len(strings.TrimLeft(digits, "0123456789"))
	number, name := s[:end], s[end:]
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" || number == "" || number == "-" {
		return 0, false, syntaxError(s, suffixes, unit)
	}
	size := unit
	if name != "" {
		if size = sizeOf(suffixes, name); size == 0 {
			return 0, false, fmt.Errorf("unknown unit %q", name)
		}
	}
	if n, err = strconv.ParseInt(number, 10, 64); err != nil {
		return 0, false, errors.New("the number does not fit")
	}
	if size < unit { // cut, as in Spark: 1500ms is 1 s for an entry in Seconds
		return n / (unit / size), true, nil
	}
	n, fits = times(n, size/unit)
	return n, fits, nil
}

// syntaxError says why s is no quantity; of a fraction, how to write it whole.
func syntaxError(s string, suffixes []suffix, unit int64) error {
	number := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || strings.Trim(number, "-0123456789.") != "" {
		return errors.New("not a whole number with a unit")
	}
	size := unit
	if name := s[len(number):]; name != "" {
		size = sizeOf(suffixes, name)
	}
	// The largest unit in which it is whole; beyond 1e9 of them no user would write it so.
	for _, smaller := range suffixes {
		whole := v * float64(size) / float64(smaller.size)
		if smaller.size <= size && whole == math.Trunc(whole) && math.Abs(whole) < 1e9 {
			return fmt.Errorf("fractional values are not supported, write %d%s", int64(whole), smaller.name)
		}
	}
	return errors.New("fractional values are not supported")
}

// quantityText is n smallest units in the largest unit that holds it whole.
func quantityText(suffixes []suffix, n int64) string {
	for _, u := range suffixes {
		if n != 0 && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	if n == 0 {
		return "0"
	}
	return quantityText(suffixes, n-n%suffixes[len(suffixes)-1].size)
}

// sizeOf is the size of a unit; 0 for an unknown name.
func sizeOf(suffixes []suffix, name string) int64 {
	for _, u := range suffixes {
		if u.name == name {
			return u.size
		}
	}
	return 0
}

// printed is the name of the unit of a size.
func printed(suffixes []suffix, size int64) string {
	for _, u := range suffixes {
		if u.size == size {
			return u.name
		}
	}
	return ""
}

// times is n·k for a positive k, and whether it fits; if not, the nearest that does.
func times(n, k int64) (int64, bool) {
	switch {
	case n > math.MaxInt64/k:
		return math.MaxInt64, false
	case n < math.MinInt64/k:
		return math.MinInt64, false
	}
	return n * k, true
}

// ParseMemoryMB reads the memory of a JVM in the form of daemons' options, "2g" or "512m" (a plain number: bytes), and returns MiB,
// at least 1. It mirrors Utils.memoryStringToMb and checkWorkerMemory.
func ParseMemoryMB(s string) (int, error) {
	n, err := ParseBytes(s)
	switch {
	case err == nil && n < MiB:
		err = errors.New("it is below 1 MiB, or lacks m or g at its end")
	case err == nil && n/MiB > math.MaxInt32:
		err = errors.New("it is above 2147483647m")
	}
	if err != nil {
		return 0, fmt.Errorf("memory %q: want a size such as 2g or 512m: %w", s, err)
	}
	return int(n / MiB), nil
}

// ParseBytes reads a size, "2g" or "512" (a plain number: bytes), and returns bytes. It mirrors
// JavaUtils.byteStringAsBytes.
func ParseBytes(s string) (int64, error) { return Sizes(Byte).Parse(trim(s)) }
