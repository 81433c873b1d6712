package conf

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Origin is where a setting was made. The zero Origin is the default.
type Origin struct {
	// Place is the path of a file, an option such as --conf, or a variable of the environment with the prefix "env ".
	Place string
	// Line is the line of a file, from 1; 0 for other places.
	Line int
}

// Env is the origin of what a variable of the environment says.
func Env(variable string) Origin { return Origin{Place: "env " + variable} }

// String is PATH:LINE, the option, env VARIABLE, or default.
func (o Origin) String() string {
	switch {
	case o.Place == "":
		return "default"
	case o.Line == 0:
		return o.Place
	}
	return fmt.Sprintf("%s:%d", o.Place, o.Line)
}

// Setting is one setting and where it was made.
type Setting struct {
	Pair
	From Origin
}

// Settings are those of several places, each with the one that won. The zero value is empty and ready for use.
type Settings struct{ byKey map[string]Setting }

// Set puts settings over those that are there; of one key the last holds.
func (s *Settings) Set(list ...Setting) {
	if s.byKey == nil {
		s.byKey = make(map[string]Setting)
	}
	for _, one := range list {
		s.byKey[one.Key] = one
	}
}

// SetMissing adds the settings whose keys are not there yet; of one key in list the last holds, as in a file.
func (s *Settings) SetMissing(list ...Setting) {
	var below Settings
	below.Set(list...)
	for _, one := range below.Sorted() {
		if _, there := s.byKey[one.Key]; !there {
			s.Set(one)
		}
	}
}

// Remove takes a key away and reports whether it was there.
func (s *Settings) Remove(key string) bool {
	_, there := s.byKey[key]
	delete(s.byKey, key)
	return there
}

// Get is the setting of key, and whether there is one.
func (s *Settings) Get(key string) (Setting, bool) {
	one, ok := s.byKey[key]
	return one, ok
}

// Sorted are all settings by key.
func (s *Settings) Sorted() []Setting {
	out := make([]Setting, 0, len(s.byKey))
	for _, key := range slices.Sorted(maps.Keys(s.byKey)) {
		out = append(out, s.byKey[key])
	}
	return out
}

// Values are the settings without their origins.
func (s *Settings) Values() map[string]string {
	out := make(map[string]string, len(s.byKey))
	for _, one := range s.Sorted() {
		out[one.Key] = one.Value
	}
	return out
}

// Conf is New of the values and the sets; its errors begin with the origin of what is wrong, and its warnings name
// that of what has no effect.
func (s *Settings) Conf(known ...*Set) (*Conf, error) {
	all := Union(known...)
	// New checks all again. Here each value is checked alone, because only here its origin is known.
	var problems []error
	for _, one := range s.Sorted() {
		e := all.byKey[one.Key]
		if e == nil {
			e = all.hadoopEntry(one.Key)
		}
		if e == nil {
			continue
		}
		if _, err := parseAs(one.Key, e, one.Value); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", one.From, err))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	c, err := newConf(s.Values(), all)
	if err != nil {
		return nil, err
	}
	c.from = make(map[string]Origin, len(s.byKey))
	for _, one := range s.Sorted() {
		c.from[one.Key] = one.From
	}
	return c, nil
}
