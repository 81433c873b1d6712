package conf

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// The older names of a setting count in their order, after its own name; each is warned of.
func TestOlderNamesOfASetting(t *testing.T) {
	own := NewSet()
	n := Declare(own, "spark.new", AtLeast(Ints, 1), "1", "A number.").Older("spark.old").Older("spark.oldest")
	below := Fallback(own, "spark.below", Ints, n, "Another.")
	for _, k := range []struct {
		pairs  map[string]string
		want   int
		set    bool
		source string
		older  []string
	}{
		{nil, 1, false, "spark.below", nil},
		{map[string]string{"spark.oldest": "2"}, 2, true, "spark.oldest", []string{"spark.oldest"}},
		{map[string]string{"spark.oldest": "2", "spark.old": "3"}, 3, true, "spark.old", []string{"spark.old", "spark.oldest"}},
		{map[string]string{"spark.oldest": "2", "spark.old": "3", "spark.new": "4"}, 4, true, "spark.new", []string{"spark.old", "spark.oldest"}},
	} {
		checked, err := New(k.pairs, own)
		if err != nil {
			t.Fatal(err)
		}
		unchecked, _ := New(k.pairs)
		for _, c := range []*Conf{checked, unchecked} {
			if v, set := n.Find(c); set != k.set || n.Get(c) != k.want || below.Get(c) != k.want || set && v != k.want || below.Source(c) != k.source {
				t.Errorf("%v: %d, %v, %d, source %s", k.pairs, n.Get(c), set, below.Get(c), below.Source(c))
			}
		}
		var want []string
		for _, key := range k.older {
			want = append(want, "The configuration key '"+key+"' has been deprecated and may be removed in the future. Please use the new key 'spark.new' instead.")
		}
		if got := checked.Warnings(); !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", k.pairs, got, want)
		}
	}
}

func TestAnOlderNameIsCheckedAndDescribed(t *testing.T) {
	own := NewSet()
	n := Declare(own, "spark.new", AtLeast(Ints, 1), "1", "A number.").Older("spark.old").Awaits("numbers")
	n.Where(func(_ *Conf, v int) error {
		if v == 7 {
			return errors.New("seven is too many")
		}
		return nil
	})
	_, err := New(map[string]string{"spark.old": "0"}, own)
	if bad, ok := errors.AsType[*ValueError](err); !ok || bad.Key != "spark.old" {
		t.Errorf("%v", err)
	}
	if _, err := New(map[string]string{"spark.old": "7"}, own); err == nil || err.Error() != "seven is too many" {
		t.Errorf("%v", err)
	}
	all := own.Entries()
	if len(all) != 2 || !slices.Equal(all[0].Older, []string{"spark.old"}) || all[0].Now != "" {
		t.Fatalf("%+v", all)
	}
	o := all[1]
	if o.Key != "spark.old" || o.Now != "spark.new" || o.Older != nil || o.Default != "= spark.new" || o.Form != all[0].Form || o.Doc != "Older name of spark.new." {
		t.Errorf("%+v", o)
	}
	c, _ := New(map[string]string{"spark.old": "2"}, own)
	if w := c.Warnings(); len(w) != 2 || !strings.HasPrefix(w[1], "spark.old has no effect yet") {
		t.Errorf("%q", w)
	}
	Declare(own, "spark.old", Ints, "1", "A number.")
	if f := own.Faults(); len(f) != 1 || f[0].Error() != "spark.old is declared twice" {
		t.Errorf("%v", f)
	}
}

// The older name of a setting counts before the setting that it falls back to.
func TestAnOlderNameOfASettingThatFallsBack(t *testing.T) {
	own := NewSet()
	above := Declare(own, "spark.above", Ints, "1", "A number.")
	n := Fallback(own, "spark.new", Ints, above, "Another.").Older("spark.old")
	c, err := New(map[string]string{"spark.above": "2", "spark.old": "3"}, own)
	if err != nil || n.Get(c) != 3 || n.Source(c) != "spark.old" {
		t.Errorf("%d from %s, %v", n.Get(c), n.Source(c), err)
	}
	if d := own.Entries(); d[1].Default != "= spark.above" || d[2].Default != "= spark.new" {
		t.Errorf("%+v", d)
	}
}
