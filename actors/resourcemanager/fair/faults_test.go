package fair

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// String names the faults, for the words of failed tests.
func (f Faults) String() string {
	var names []string
	for field, v := range reflect.ValueOf(f).Fields() {
		if v.Bool() {
			names = append(names, field.Name)
		}
	}
	return fmt.Sprintf("[%s]", strings.Join(names, " "))
}

func TestUpstreamHasEveryFault(t *testing.T) {
	var all []string
	for field := range reflect.TypeFor[Faults]().Fields() {
		all = append(all, field.Name)
	}
	if got := strings.Fields(strings.Trim(Upstream().String(), "[]")); !slices.Equal(got, all) {
		t.Errorf("%q, want %q", got, all)
	}
}
