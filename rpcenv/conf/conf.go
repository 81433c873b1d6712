package conf

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Conf is a set of settings that were checked. It does not change. A nil *Conf is one in which nothing is set. It
// mirrors org.apache.spark.SparkConf.
type Conf struct {
	raw     map[string]string
	values  map[string]any // parsed, of known keys
	unknown []string       // keys that were kept
	dropped []string       // keys that were not
	from    map[string]Origin
	known   *Set
}

// Pair is one setting as it was given.
type Pair struct{ Key, Value string }

// ValueError is a value that does not fit its key.
type ValueError struct {
	Key, Value string
	Want       string // the form wanted, with its range
	Example    string // a value that would do
	Err        error  // what is wrong with Value
}

// Error names key, value (its first 100 characters), fault, form and example.
func (e *ValueError) Error() string {
	want := strings.TrimSuffix(e.Want, ",") // it has one for a range, which the entry may lack
	return fmt.Sprintf("%s = %.100q: %v: want %s, for example %s", e.Key, e.Value, e.Err, want, e.Example)
}

// Unwrap is what is wrong with the value.
func (e *ValueError) Unwrap() error { return e.Err }

// New makes a Conf of pairs and checks those that the sets know, all at once; it keeps no reference to the map. The error joins
// one *ValueError per bad value, in order of keys, and what is wrong between several keys. Without a Set nothing is checked, and
// whoever reads a bad value panics: that is for tests.
func New(pairs map[string]string, known ...*Set) (*Conf, error) {
	return newConf(pairs, Union(known...))
}

func newConf(pairs map[string]string, known *Set) (*Conf, error) {
	c := &Conf{raw: make(map[string]string, len(pairs)), values: make(map[string]any, len(pairs)), known: known}
	// All problems are reported at once, so that a user mends the file once.
	var problems []error
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		value := pairs[key]
		if !known.kept(key) {
			c.dropped = append(c.dropped, key)
			continue
		}
		c.raw[key] = value
		e := known.byKey[key]
		if e == nil {
			if !known.inFamily(key) { // an application may read it: kept, with a warning
				c.unknown = append(c.unknown, key)
			}
			continue
		}
		parsed, err := e.parseAny(value)
		if err != nil {
			problems = append(problems, err)
			delete(c.raw, key) // it counts as unset for the rules below
			continue
		}
		c.values[key] = parsed
	}
	// After the single keys: spark.hadoop.yarn.X wins over yarn.X, and rules compare what holds in the end.
	problems = append(problems, c.takeHadoop()...)
	for _, key := range slices.Sorted(maps.Keys(known.byKey)) {
		if err := known.byKey[key].check(c); err != nil {
			problems = append(problems, err)
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return c, nil
}

// With is c with pairs set over it. Everything is checked again, since settings constrain each other. The warnings of c
// remain.
func (c *Conf) With(pairs map[string]string) (*Conf, error) {
	if c == nil {
		return New(pairs)
	}
	all := maps.Clone(c.raw)
	maps.Copy(all, pairs)
	out, err := newConf(all, c.known)
	if err != nil {
		return nil, err
	}
	out.from = maps.Clone(c.from)
	for key := range pairs { // the old origin would be a wrong one
		delete(out.from, key)
	}
	out.dropped = append(out.dropped, c.dropped...)
	slices.Sort(out.dropped)
	out.dropped = slices.Compact(out.dropped)
	return out, nil
}

// Knowing is c checked by a further Set: c itself when its Sets have all of these settings.
func (c *Conf) Knowing(s *Set) (*Conf, error) {
	if c == nil || c.known.has(s) {
		return c, nil
	}
	out, err := newConf(c.raw, Union(c.known, s))
	if err != nil {
		return nil, err
	}
	out.from, out.dropped = c.from, c.dropped
	return out, nil
}

// Get is the text that key was set to, and whether it was set. It knows no defaults: those belong to the entries.
func (c *Conf) Get(key string) (string, bool) {
	if c == nil {
		return "", false
	}
	v, ok := c.raw[key]
	return v, ok
}

// find is the key and the text that a setting's value comes from: spark.hadoop.X wins over Hadoop's own X.
func (c *Conf) find(key string) (at, text string, ok bool) {
	if isHadoops(key) {
		if text, ok := c.raw[HadoopPrefix+key]; ok {
			return HadoopPrefix + key, text, true
		}
	}
	text, ok = c.raw[key]
	return key, text, ok
}

// Pairs is all that was set, sorted by key. New makes an equal Conf of it.
func (c *Conf) Pairs() []Pair { return c.Under("") }

// Under is what was set with keys that begin with prefix, sorted by key; the keys come whole. It is for families of
// keys whose ends are free, such as spark.executorEnv.
func (c *Conf) Under(prefix string) []Pair {
	if c == nil {
		return nil
	}
	var out []Pair
	for _, key := range slices.Sorted(maps.Keys(c.raw)) {
		if strings.HasPrefix(key, prefix) {
			out = append(out, Pair{key, c.raw[key]})
		}
	}
	return out
}

// Warnings has a line for each key that is not known, was dropped, has no effect or is an older name, sorted. The nearest names are looked
// for here and not in New, so that New costs little for the settings of a peer.
func (c *Conf) Warnings() []string {
	if c == nil {
		return nil
	}
	var out []string
	names := slices.Sorted(maps.Keys(c.known.byKey))
	warn := func(what, key string) {
		warning := what + key + c.place(key)
		if near, ok := Nearest(key, names); ok {
			warning += ": did you mean " + near + "?"
		}
		out = append(out, warning)
	}
	for _, key := range c.dropped { // perhaps a program's own setting, misspelt
		warn("Ignoring non-Spark config property: ", key)
	}
	for _, key := range c.unknown {
		warn("unknown setting ", key)
	}
	for key := range c.values {
		for _, w := range []string{c.noEffect(key), c.isOlder(key)} {
			if w != "" {
				out = append(out, w)
			}
		}
	}
	slices.Sort(out)
	return out
}

// place is where a key was set, for a warning of it, and "" if c was made without origins.
func (c *Conf) place(key string) string {
	at, known := c.from[key]
	if !known {
		return ""
	}
	return fmt.Sprintf(" (%s)", at)
}
