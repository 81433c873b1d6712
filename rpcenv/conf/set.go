package conf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Described is a known setting in words.
type Described struct {
	Key string
	// Form is the kind of value, such as "time in s".
	Form string
	// Default is the value when unset, as a user would write it; "= KEY" when it is that of another setting; ""
	// without a default.
	Default string
	Doc     string
	// Lacks is the protection that the setting promises and nothing gives: it may have no value but its default. Empty: none.
	Lacks string
	// Awaits is the capability that will read the setting: until then it has no effect. Empty: it has.
	Awaits string
	// Older are names that the setting had, and still may be set by.
	Older []string
	// Now is the present name, of an older name. Empty: the name is the present one.
	Now string
}

// Set is settings that are known: each role declares its own in one, and a program knows the [Union] of those that it runs.
// Declare, Optional and Fallback add to a Set while the variables of a package are made; nothing does later.
type Set struct {
	byKey    map[string]anyEntry
	families []string // beginnings of keys whose ends users choose
	faults   []error
}

// NewSet returns a Set without settings.
func NewSet() *Set { return &Set{byKey: make(map[string]anyEntry)} }

// Union is a Set of all that these have.
func Union(sets ...*Set) *Set {
	if len(sets) == 1 {
		return sets[0]
	}
	all := NewSet()
	for _, s := range sets {
		for _, key := range slices.Sorted(maps.Keys(s.byKey)) {
			all.add(s.byKey[key])
		}
		all.families = append(all.families, s.families...)
		all.faults = append(all.faults, s.faults...)
	}
	return all
}

// Family adds the keys that begin with prefix and end in what a user chooses, and returns prefix.
func (s *Set) Family(prefix string) string {
	s.families = append(s.families, prefix)
	return prefix
}

// Entries describes the settings, sorted by key.
func (s *Set) Entries() []Described {
	out := make([]Described, 0, len(s.byKey))
	for _, key := range slices.Sorted(maps.Keys(s.byKey)) {
		out = append(out, s.byKey[key].describe())
	}
	return out
}

// Faults are the mistakes in the declarations: a test wants none.
func (s *Set) Faults() []error { return s.faults }

// anyEntry is an Entry of whatever type.
type anyEntry interface {
	Key() string
	parseAny(text string) (any, error)
	describe() Described
	check(c *Conf) error
}

func (s *Set) add(e anyEntry) {
	if _, twice := s.byKey[e.Key()]; twice {
		s.faults = append(s.faults, fmt.Errorf("%s is declared twice", e.Key()))
	}
	s.byKey[e.Key()] = e
}

// has reports whether the Set has all settings of another one.
func (s *Set) has(other *Set) bool {
	for key, e := range other.byKey {
		if s.byKey[key] != e {
			return false
		}
	}
	return true
}

// kept reports whether key belongs to Spark, to YARN or to this project, or is known; the rest is dropped.
func (s *Set) kept(key string) bool {
	return s.byKey[key] != nil || strings.HasPrefix(key, "spark.") || strings.HasPrefix(key, "yarn.") || strings.HasPrefix(key, "coherer.")
}

// inFamily reports whether key ends in a name that users choose.
func (s *Set) inFamily(key string) bool {
	return slices.ContainsFunc(append([]string{HadoopPrefix}, s.families...), func(prefix string) bool {
		return len(key) > len(prefix) && strings.HasPrefix(key, prefix)
	})
}
