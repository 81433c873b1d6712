package conf

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDurations(t *testing.T) {
	const day = 24 * time.Hour
	for _, test := range []struct {
		text string
		unit time.Duration
		want time.Duration
	}{
		{"120s", time.Second, 2 * time.Minute},
		{"120", time.Second, 2 * time.Minute},
		{"120", time.Millisecond, 120 * time.Millisecond},
		{"0", time.Second, 0},
		{"007", time.Second, 7 * time.Second},
		{"250us", time.Microsecond, 250 * time.Microsecond},
		{"100ms", time.Millisecond, 100 * time.Millisecond},
		{"2m", time.Second, 2 * time.Minute},
		{"2min", time.Second, 2 * time.Minute},
		{"3h", time.Second, 3 * time.Hour},
		{"365d", time.Second, 365 * day},
		{"5S", time.Second, 5 * time.Second},
		{"5Min", time.Second, 5 * time.Minute},
		{" 5s\t", time.Second, 5 * time.Second},
		{"-1", time.Millisecond, -time.Millisecond},
		{"-2s", time.Millisecond, -2 * time.Second},
		{"1500ms", time.Second, time.Second},
		{"-1500ms", time.Second, -time.Second},
		{"999us", time.Millisecond, 0},
		{"90s", time.Minute, time.Minute},
		{"2147483647", time.Second, 2147483647 * time.Second},
		{"200000d", time.Second, math.MaxInt64},
		{"9223372036854775807", time.Second, math.MaxInt64},
		{"-9223372036854775807d", time.Second, math.MinInt64},
	} {
		if got, err := Durations(test.unit).Parse(trim(test.text)); err != nil || got != test.want {
			t.Errorf("%q in %v: %v, %v; want %v", test.text, test.unit, got, err, test.want)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, test := range []struct {
		text string
		unit int64
		want int64
	}{
		{"1g", MiB, 1024},
		{"512m", MiB, 512},
		{"512", MiB, 512},
		{"512", KiB, 512},
		{"512", Byte, 512},
		{"1GB", MiB, 1024},
		{"1Mb", Byte, MiB},
		{"1k", Byte, 1024},
		{"1kb", Byte, 1024},
		{"64b", Byte, 64},
		{"1t", MiB, 1 << 20},
		{"1tb", MiB, 1 << 20},
		{"2p", MiB, 2 << 30},
		{"1pb", KiB, 1 << 40},
		{"1500k", MiB, 1},
		{"500k", MiB, 0},
		{"-1k", Byte, -1024},
		{" 1g\n", MiB, 1024},
		{"8191p", Byte, 8191 << 50},
	} {
		if got, err := Sizes(test.unit).Parse(trim(test.text)); err != nil || got != test.want {
			t.Errorf("%q in %d: %d, %v; want %d", test.text, test.unit, got, err, test.want)
		}
	}
}

func TestBadQuantities(t *testing.T) {
	const whole, fractional = "not a whole number with a unit", "fractional values are not supported"
	for _, test := range []struct{ text, time, size string }{
		{"", whole, whole},
		{"s", whole, whole},
		{"-", whole, whole},
		{"+5", whole, whole},
		{"1 s", whole, whole},
		{"1_000", whole, whole},
		{"1s1", whole, whole},
		{"0x10", whole, whole},
		{"1e3", whole, whole},
		{"NaN", whole, whole},
		{"١", whole, whole},
		{"1.5x", fractional, fractional},
		{"1.5", fractional + ", write 1500ms", fractional + ", write 1536k"},
		{"0.5h", fractional + ", write 30m", fractional},
		{"1.5g", fractional, fractional + ", write 1536m"},
		{"2.0m", fractional + ", write 2m", fractional + ", write 2m"},
		{"-.5d", fractional + ", write -12h", fractional},
		{"0.3us", fractional, fractional}, // no unit is smaller
		{"0.3b", fractional, fractional},
		{"0.00004g", fractional, fractional}, // 42949.67296 bytes
		{"1e9.5", whole, whole},
		{"4000000000.5d", fractional, fractional}, // in hours a number that nobody would write
		{"4000000000.5m", fractional, fractional},
		{"5sec", `unknown unit "sec"`, `unknown unit "sec"`},
		{"5ns", `unknown unit "ns"`, `unknown unit "ns"`},
		{"5gib", `unknown unit "gib"`, `unknown unit "gib"`},
		{"9223372036854775808", "the number does not fit", "the number does not fit"},
	} {
		if _, err := Durations(time.Second).Parse(test.text); err == nil || err.Error() != test.time {
			t.Errorf("time %q: %v", test.text, err)
		}
		if _, err := Sizes(MiB).Parse(test.text); err == nil || err.Error() != test.size {
			t.Errorf("size %q: %v", test.text, err)
		}
		if _, fits, err := quantity(test.text, timeSuffixes, int64(time.Second)); fits {
			t.Errorf("%q: it fits, and %v", test.text, err)
		}
	}
	if _, err := Sizes(Byte).Parse("8192p"); err == nil {
		t.Error("8192p fits")
	}
}

func TestPlainForms(t *testing.T) {
	for text, want := range map[string]bool{"true": true, "TRUE": true, "False": false} {
		if got, err := Bools.Parse(text); err != nil || got != want {
			t.Errorf("bool %q: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1", "t", "yes"} {
		if got, err := Bools.Parse(text); err == nil || got {
			t.Errorf("bool %q is taken: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1.0", "1e3", "0x1", "2147483648", "-2147483649", "1_0"} {
		if _, err := Ints.Parse(text); err == nil {
			t.Errorf("int %q is taken", text)
		}
	}
	for _, text := range []string{"", "NaN", "inf", "0x1p1", "1_0.5", "1e999"} {
		if _, err := Floats.Parse(text); err == nil {
			t.Errorf("float %q is taken", text)
		}
	}
	if got, err := Floats.Parse("1e-2"); err != nil || got != 0.01 {
		t.Errorf("float: %v %v", got, err)
	}
	if got, err := Enum("FIFO", "FAIR").Parse("fair"); err != nil || got != "FAIR" {
		t.Errorf("enum: %q %v", got, err)
	}
	if got, err := Lists.Parse("a, b,,c ,"); err != nil || !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("list: %q %v", got, err)
	}
	if _, err := Above(Floats, 0).Parse("0"); err == nil {
		t.Error("a ratio of 0 is taken")
	}
}

func TestTextReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := time.Duration(rapid.SampledFrom(timeSuffixes).Draw(t, "unit").size)
		d := time.Duration(rapid.Int64Range(-1e5, 1e5).Draw(t, "n")) * unit
		f := Durations(unit)
		if got, err := f.Parse(f.Text(d)); err != nil || got != d {
			t.Fatalf("%v as %q: %v, %v", d, f.Text(d), got, err)
		}
		size := rapid.SampledFrom([]int64{Byte, KiB, MiB}).Draw(t, "size unit")
		n := rapid.Int64().Draw(t, "size")
		b := Sizes(size)
		if got, err := b.Parse(b.Text(n)); err != nil || got != n {
			t.Fatalf("%d as %q: %v, %v", n, b.Text(n), got, err)
		}
	})
}

// A plain number counts in the entry's unit, so it is the same as with that unit's suffix.
func TestNumberCountsInUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`-?[0-9]{1,19}`).Draw(t, "number")
		u := rapid.SampledFrom(timeSuffixes).Draw(t, "unit")
		f := Durations(time.Duration(u.size))
		plain, err1 := f.Parse(number)
		suffixed, err2 := f.Parse(number + u.name)
		if plain != suffixed || (err1 == nil) != (err2 == nil) {
			t.Fatalf("%s: %v %v; %s%s: %v %v", number, plain, err1, number, u.name, suffixed, err2)
		}
	})
}

func FuzzQuantity(f *testing.F) {
	for _, seed := range []string{"", "1", "-1", "1.5g", "10min", "9223372036854775807d", "-.5h", "1..2", "p", "1e9k", "١s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, u := range timeSuffixes {
			_, _ = Durations(time.Duration(u.size)).Parse(s)
		}
		for _, unit := range []int64{Byte, KiB, MiB} {
			b := Sizes(unit)
			n, err := b.Parse(s)
			if err != nil {
				continue
			}
			if again, err := b.Parse(b.Text(n)); err != nil || again != n {
				t.Errorf("%q is %d, its text %q is %d, %v", s, n, b.Text(n), again, err)
			}
		}
	})
}

// Text writes what Parse reads as the same value, in the form in which a user would write it.
func TestTheTextOfAValue(t *testing.T) {
	for text, got := range map[string]string{
		"604800":              Seconds.Text(7 * 24 * time.Hour),
		"-5":                  Ints64.Text(-5),
		"1500ms":              DurationText(1500 * time.Millisecond),
		"1us":                 DurationText(1999 * time.Nanosecond), // Spark's times go no further
		"0":                   DurationText(999 * time.Nanosecond),
		"9223372036854775us":  DurationText(1<<63 - 1),
		"1536m":               Sizes(MiB).Text(1536),
		"9223372036854775807": Sizes(MiB).Text(1<<63 - 1), // no suffix holds it
	} {
		if got != text {
			t.Errorf("%s, want %s", got, text)
		}
	}
}
