package submit

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/coherer/coherer/rpcenv/conf"
)

// The script shows decisions as --dry-run does, with the warnings before them. Of a command's input the last line is the
// command line; a line "env NAME VALUE" before it is a variable, "default KEY VALUE" a line of spark-defaults.conf.
func TestDecisions(t *testing.T) {
	datadriven.RunTest(t, filepath.Join("testdata", "decisions.txt"), func(t *testing.T, d *datadriven.TestData) string {
		in := Input{Env: map[string]string{}, Dir: "/w", BuiltIn: builtIn, Submitted: 1234567}
		lines := strings.Split(d.Input, "\n")
		last := len(lines) - 1
		for _, line := range lines[:last] {
			kind, rest, _ := strings.Cut(line, " ")
			name, value, _ := strings.Cut(rest, " ")
			switch kind {
			case "env":
				in.Env[name] = value
			case "default":
				pair := conf.Pair{Key: name, Value: value}
				in.Defaults = append(in.Defaults, conf.Setting{Pair: pair, From: conf.Origin{Place: "spark-defaults.conf"}})
			default:
				d.Fatalf(t, "%q: want env or default", line)
			}
		}
		c, err := Parse(strings.Fields(lines[last]))
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		a, err := Resolve(c, in)
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		decision, err := Decide(a, in)
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		var out strings.Builder
		for _, w := range decision.Warnings {
			out.WriteString("warning: " + w + "\n")
		}
		if d.Cmd == "json" {
			text, err := json.MarshalIndent(decision.Plain(), "", "  ")
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			return out.String() + string(text) + "\n"
		}
		if err := decision.Write(&out); err != nil {
			d.Fatalf(t, "%v", err)
		}
		return out.String()
	})
}
