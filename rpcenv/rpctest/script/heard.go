package script

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// Heard is for a verb that prints what a Probe heard since: the forest has no fields of Local messages. It is a line for each message
// that Probe.Next would give: its name, and the fields that are not zero. types that are not empty list the messages that are wanted.
// Lines of the test's own come first.
func Heard(p *rpctest.Probe, types string, own ...string) string {
	lines := slices.Clone(own)
	wanted := strings.Fields(types)
	for len(p.Waiting()) > 0 {
		name, fields := local(p.Next())
		if len(wanted) == 0 || slices.Contains(wanted, name) {
			lines = append(lines, "heard "+name+fields)
		}
	}
	if len(lines) == 0 {
		return "heard nothing"
	}
	return strings.Join(lines, "\n")
}

// local is a Local message as text.
func local(m rpcenv.Message) (name, fields string) {
	v := reflect.ValueOf(m)
	for i := range v.NumField() {
		of := v.Type().Field(i)
		if v.Field(i).IsZero() || of.Anonymous {
			continue
		}
		f := reflect.Indirect(v.Field(i))
		text := fmt.Sprint(f)
		if f.Kind() == reflect.String && strings.ContainsAny(text, " \n") {
			text = strconv.Quote(text)
		}
		fields += " " + of.Name + "=" + text
	}
	return v.Type().Name(), fields
}
