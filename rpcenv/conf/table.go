package conf

import (
	"fmt"
	"maps"
	"slices"
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
}

// Entries describes all known settings, sorted by key.
func Entries() []Described {
	out := make([]Described, 0, len(entries.byKey))
	for _, key := range slices.Sorted(maps.Keys(entries.byKey)) {
		out = append(out, entries.byKey[key].describe())
	}
	return out
}

// entries has every Entry: the constructors add to it while the package's variables are made, nothing does later.
var entries = &table{byKey: make(map[string]anyEntry)}

type table struct {
	byKey  map[string]anyEntry
	faults []error // mistakes in the declarations; a test wants none
}

// anyEntry is an Entry of whatever type.
type anyEntry interface {
	Key() string
	parseAny(text string) (any, error)
	describe() Described
}

func (t *table) add(e anyEntry) {
	if _, twice := t.byKey[e.Key()]; twice {
		t.faults = append(t.faults, fmt.Errorf("%s is declared twice", e.Key()))
	}
	t.byKey[e.Key()] = e
}
