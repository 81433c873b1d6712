package fair

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// Sums, differences and products saturate at the ends of 64 bits; a fraction is cut off, and what is no number is nothing.
func TestAmountsSaturate(t *testing.T) {
	const most, least = math.MaxInt64, math.MinInt64
	for _, x := range []struct{ a, b, plus, minus, times int64 }{
		{3, 4, 7, -1, 12},
		{-3, 4, 1, -7, -12},
		{-3, -4, -7, 1, 12},
		{0, 0, 0, 0, 0},
		{most, 1, most, most - 1, most},
		{1, most, most, 1 - most, most},
		{most, most, most, 0, most},
		{least, -1, least, least + 1, most},
		{least, 1, least + 1, least, least},
		{least, least, least, 0, most},
		{most, -1, most - 1, most, -most},
		{-1, most, most - 1, least, -most},
		{0, least, least, most, 0},
		{0, most, most, -most, 0},
		{-2, most, most - 2, least, least},
		{1, least, least + 1, most, least},
		{most, least, -1, most, least},
		{1 << 32, 1 << 31, 1<<32 + 1<<31, 1 << 31, most},
		{1 << 31, -(1 << 32), -(1 << 31), 1<<31 + 1<<32, least},
		{1 << 40, -(1 << 40), 0, 1 << 41, least},
		{1 << 40, 1 << 40, 1 << 41, 0, most},
		{most, 0, most, most, 0},
		{least, 0, least, least, 0},
	} {
		if p, m, n := plus(x.a, x.b), minus(x.a, x.b), times(x.a, x.b); p != x.plus || m != x.minus || n != x.times {
			t.Errorf("%d and %d: sum %d, want %d; difference %d, want %d; product %d, want %d", x.a, x.b, p, x.plus, m, x.minus, n, x.times)
		}
	}
	for x, want := range map[float64]int64{1.9: 1, -1.9: -1, 0: 0, 1e19: most, -1e19: least, math.Inf(1): most, math.Inf(-1): least, 1 << 63: most, -(1 << 63): least, 1 << 62: 1 << 62} {
		if got := truncated(x); got != want {
			t.Errorf("%v is %d", x, got)
		}
	}
	if truncated(math.NaN()) != 0 {
		t.Error("no number is something")
	}
	r := Resource{7, -3}
	for what, x := range map[string][2]Resource{
		"plus": {r.Plus(Resource{1, 2}), {8, -1}}, "minus": {r.Minus(Resource{1, 2}), {6, -5}}, "min": {r.Min(Resource{8, -4}), {7, -4}}, "max": {r.Max(Resource{8, -4}), {8, -3}},
		"times": {r.times(3), {21, -9}}, "scaled": {r.scaled(0.5), {3, -1}}, "scaled up": {r.scaledUp(0.5), {4, -1}}, "not below zero": {r.lessNotBelowZero(Resource{1, 1}), {6, 0}},
	} {
		if x[0] != x[1] {
			t.Errorf("%s: %s, want %s", what, x[0], x[1])
		}
	}
	for room, fits := range map[Resource]bool{{7, -3}: true, {6, -3}: false, {7, -4}: false, {8, 0}: true} {
		if r.Fits(room) != fits {
			t.Errorf("%s in %s: %t", r, room, !fits)
		}
	}
}

// An ask becomes at least the minimum, rounded up to the increment, at most the maximum.
func TestWhatIsAskedIsNormalised(t *testing.T) {
	c := DefaultConfig()
	c.Minimum, c.Increment = Resource{1000, 2}, Resource{512, 3}
	for asked, want := range map[Resource]Resource{
		{0, 0}: {1024, 3}, {1024, 3}: {1024, 3}, {1025, 4}: {1536, 6}, {8000, 9}: {8000, 7}, {math.MaxInt64, math.MaxInt64}: {8000, 7}, {-5, -5}: {1024, 3},
	} {
		if got := c.normalise(asked, Resource{8000, 7}); got != want {
			t.Errorf("%s: %s, want %s", asked, got, want)
		}
	}
	for x, want := range map[int64]int64{math.MaxInt64: math.MaxInt64, math.MaxInt64 - 511: math.MaxInt64 - 511, math.MaxInt64 - 512: math.MaxInt64 - 511, 512: 512, 513: 1024} {
		if got := roundUp(x, 512); got != want {
			t.Errorf("%d: %d, want %d", x, got, want)
		}
	}
}

// An ask that is refused says of which type, in Hadoop's words.
func TestWhyAnAskIsRefused(t *testing.T) {
	const less = "Invalid resource request! Cannot allocate containers as requested resource is less than 0! Requested resource type=[KIND], Requested resource=ASKED"
	const more = "Invalid resource request! Cannot allocate containers as requested resource is greater than maximum allowed allocation. Requested resource type=[KIND], " +
		"Requested resource=ASKED, maximum allowed allocation=<memory:8, vCores:4>, please note that maximum allowed allocation is calculated by scheduler based " +
		"on maximum resource of registered NodeManagers, which might be less than configured maximum allocation=<memory:9, vCores:5>"
	for asked, want := range map[Resource][2]string{
		{-1, 1}: {less, "memory-mb"}, {1, -1}: {less, "vcores"}, {0, -1}: {less, "vcores"}, {-1, -1}: {less, "memory-mb"},
		{9, 1}: {more, "memory-mb"}, {8, 5}: {more, "vcores"}, {9, 5}: {more, "memory-mb"},
	} {
		text := strings.NewReplacer("KIND", want[1], "ASKED", asked.String()).Replace(want[0])
		if err := CheckAsk(asked, Resource{8, 4}, Resource{9, 5}); err == nil || err.Error() != text {
			t.Errorf("%v, want %s", err, text)
		}
	}
	for _, x := range []struct {
		most, asked Resource
		nothing     bool
	}{
		{Resource{0, 4}, Resource{1, 1}, true},
		{Resource{0, 4}, Resource{0, 1}, false},
		{Resource{4, 0}, Resource{1, 1}, true},
		{Resource{4, 0}, Resource{1, 0}, false},
		{Resource{1, 1}, Resource{9, 9}, false},
		{Resource{-1, 4}, Resource{1, 0}, true},
		{Resource{}, Resource{}, false},
	} {
		if hasNothingOf(x.most, x.asked) != x.nothing {
			t.Errorf("%s of %s: %t", x.asked, x.most, !x.nothing)
		}
	}
}

// A configuration is good up to its bounds, and each that is beyond is named.
func TestTheBoundsOfTheConfiguration(t *testing.T) {
	for name, x := range map[string]struct {
		change func(c *Config)
		want   string // how the error begins
	}{
		"minimum 0":              {func(c *Config) { c.Minimum.Memory = 0 }, ""},
		"minimum is maximum":     {func(c *Config) { c.Minimum = c.Maximum }, ""},
		"without bounds":         {func(c *Config) { c.Maximum = unbounded }, ""},
		"nodes 0":                {func(c *Config) { c.ReservableNodes = 0 }, ""},
		"nodes 1":                {func(c *Config) { c.ReservableNodes = 1 }, ""},
		"multiple 0":             {func(c *Config) { c.ReservationMultiple = 0 }, ""},
		"minimum below 0":        {func(c *Config) { c.Minimum.Memory = -1 }, "yarn.scheduler.minimum-allocation-mb is -1 and yarn.scheduler.maximum-allocation-mb is 8192: want 0 <= minimum <= maximum"},
		"minimum above maximum":  {func(c *Config) { c.Minimum.VCores = 5 }, "yarn.scheduler.minimum-allocation-vcores is 5 and yarn.scheduler.maximum-allocation-vcores is 4: want 0 <= minimum <= maximum"},
		"more cores than can be": {func(c *Config) { c.Maximum.VCores = math.MaxInt32 + 1 }, "yarn.scheduler.minimum-allocation-vcores is 1 and yarn.scheduler.maximum-allocation-vcores is 2147483648"},
		"no increment":           {func(c *Config) { c.Increment.Memory = 0 }, "yarn.scheduler.increment-allocation-mb is 0: want more than 0"},
		"no increment of cores":  {func(c *Config) { c.Increment.VCores = -1 }, "yarn.scheduler.increment-allocation-vcores is -1: want more than 0"},
		"no minimum":             {func(c *Config) { c.Minimum = Resource{} }, "yarn.scheduler.minimum-allocation-mb and -vcores are both 0"},
		"multiple below 0":       {func(c *Config) { c.ReservationMultiple = -1 }, "yarn.scheduler.reservation-threshold.increment-multiple is -1: want 0 or more"},
		"multiple no number":     {func(c *Config) { c.ReservationMultiple = math.NaN() }, "yarn.scheduler.reservation-threshold.increment-multiple is NaN"},
		"nodes below 0":          {func(c *Config) { c.ReservableNodes = -0.1 }, "yarn.scheduler.fair.reservable-nodes is -0.1: want a part, 0 to 1"},
		"epoch":                  {func(c *Config) { c.Epoch = -1 }, "the epoch is -1: want 0 or more"},
	} {
		c := DefaultConfig()
		x.change(&c)
		err := c.Validate()
		if (err == nil) != (x.want == "") || err != nil && (!strings.HasPrefix(err.Error(), x.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v, want %s", name, err, x.want)
		}
	}
}

// Whether a type, or all of them, count as less is the policy's: fair and fifo look at memory, drf at parts of the cluster.
func TestWhatPoliciesCallLess(t *testing.T) {
	cluster := Resource{1000, 10}
	for _, x := range []struct {
		policy      string
		a, b, of    Resource
		less, below bool
	}{
		{"fair", Resource{1, 9}, Resource{2, 1}, cluster, true, true},
		{"fair", Resource{2, 1}, Resource{2, 9}, cluster, false, false},
		{"fifo", Resource{1, 9}, Resource{2, 1}, cluster, true, true},
		{"fifo", Resource{2, 1}, Resource{2, 9}, cluster, false, false},
		{"drf", Resource{500, 1}, Resource{100, 6}, cluster, true, true},
		{"drf", Resource{100, 6}, Resource{500, 1}, cluster, false, false},
		{"drf", Resource{500, 1}, Resource{100, 5}, cluster, false, false},
		{"drf", Resource{500, 1}, Resource{500, 2}, cluster, true, false},
		{"drf", Resource{500, 2}, Resource{500, 2}, cluster, false, false},
		{"drf", Resource{1, 1}, Resource{2, 1}, Resource{}, true, true},
		{"drf", Resource{1, 1}, Resource{1, 1}, Resource{}, false, false},
		{"drf", Resource{1, 3}, Resource{2, 1}, Resource{}, false, false},
		{"drf", Resource{100, 9}, Resource{200, 1}, Resource{Memory: 1000}, true, true},
		{"drf", Resource{9, 1}, Resource{1, 2}, Resource{VCores: 10}, true, true},
		{"drf", Resource{0, 1}, Resource{5, 0}, Resource{VCores: 10}, false, false}, // all of nothing is as much as none of it
		{"drf", Resource{5, 0}, Resource{0, 1}, Resource{VCores: 10}, true, true},
		{"drf", Resource{1, 0}, Resource{0, 5}, Resource{Memory: 1000}, false, false},
		{"drf", Resource{0, 5}, Resource{1, 0}, Resource{Memory: 1000}, true, true},
	} {
		p := policyOf(x.policy, Faults{})
		if less, below := p.Less(x.a, x.b, x.of), p.Below(x.a, x.b, x.of); less != x.less || below != x.below {
			t.Errorf("%s: %s and %s of %s: less %t, below %t", x.policy, x.a, x.b, x.of, less, below)
		}
	}
	for policy, want := range map[string]Resource{"fair": {300, 9}, "fifo": {300, 9}, "drf": {300, 2}} {
		p := policyOf(policy, Faults{})
		if got := p.Headroom(Resource{500, 4}, Resource{200, 2}, Resource{900, 9}); got != want {
			t.Errorf("%s: headroom %s, want %s", policy, got, want)
		}
		if got := p.Headroom(Resource{500, 4}, Resource{600, 5}, Resource{900, 9}); got.Memory != 0 {
			t.Errorf("%s: above its share headroom is %s", policy, got)
		}
		if got := p.Headroom(Resource{500, 4}, Resource{}, Resource{100, 1}); got != (Resource{100, 1}) {
			t.Errorf("%s: of a little %s", policy, got)
		}
	}
}

// A file that cannot be read is an error of the start, with why.
func TestAFileThatCannotBeRead(t *testing.T) {
	r := NewReload(options)
	gone := errors.New("no such file")
	if _, err := r.Load(File{Err: gone}, noon); !errors.Is(err, gone) || err.Error() != "allocation file cannot be read: no such file" {
		t.Error(err)
	}
}
