//coherer:pure

package submit

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/oneline"
)

// Plain is a Decision for programs to read, secrets left out.
type Plain struct {
	Manager     string          `json:"manager"`
	DeployMode  string          `json:"deployMode"`
	Master      string          `json:"master"`
	Kind        string          `json:"kind"`
	Resource    string          `json:"resource"`
	MainClass   string          `json:"mainClass"`
	ChildArgs   []string        `json:"childArgs"`
	ClassPath   []string        `json:"classPath"`
	Properties  []PlainProperty `json:"properties"`
	Removed     []PlainProperty `json:"removed"`
	Inherits    bool            `json:"inheritsEnvironment"`
	Environment []PlainProperty `json:"environment"`
	AM          *AM             `json:"am,omitempty"`
	Supervise   bool            `json:"supervise"`
	REST        bool            `json:"rest"`
	Notes       []string        `json:"notes"`
	Runs        bool            `json:"runsHere"`
	NotRun      string          `json:"notRunBecause,omitempty"`
}

// PlainProperty is a setting or a variable.
type PlainProperty struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin,omitempty"`
	Why    string `json:"why,omitempty"`
}

// Plain is d for programs to read. The values that spark.redaction.regex matches are left out.
func (d *Decision) Plain() Plain {
	secrets, _ := d.Properties.Conf(rpcenv.Settings) // nil, with the default expression, when a setting is wrong: the command that uses it says so
	property := func(s conf.Setting, why string) PlainProperty {
		return PlainProperty{Key: s.Key, Value: rpcenv.Redact(secrets, s.Key, s.Value), Origin: s.From.String(), Why: why}
	}
	p := Plain{
		Manager: d.Manager.String(), DeployMode: d.Mode.String(), Master: d.Master, Kind: d.Kind.String(), Resource: d.Resource,
		MainClass: d.MainClass, ChildArgs: append([]string{}, d.ChildArgs...), ClassPath: append([]string{}, d.ClassPath...),
		Properties: []PlainProperty{}, Removed: []PlainProperty{}, Environment: []PlainProperty{},
		Inherits: d.Inherits, AM: d.AM, Supervise: d.Supervise, REST: d.REST, Notes: append([]string{}, d.Notes...), Runs: d.NotRun == nil,
	}
	if d.NotRun != nil {
		p.NotRun = d.NotRun.Error()
	}
	for _, s := range d.Properties.Sorted() {
		p.Properties = append(p.Properties, property(s, ""))
	}
	for _, r := range d.Removed {
		p.Removed = append(p.Removed, property(r.Setting, r.Why))
	}
	for _, v := range d.Environment {
		p.Environment = append(p.Environment, PlainProperty{Key: v.Key, Value: rpcenv.Redact(secrets, v.Key, v.Value)})
	}
	return p
}

// Write writes d for people.
func (d *Decision) Write(w io.Writer) error {
	p := d.Plain()
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { oneline.Fprintf(t, format+"\n", args...) } // Flush returns the error of a write
	line("manager\t%s", p.Manager)
	line("deploy mode\t%s", p.DeployMode)
	line("master\t%s", p.Master)
	line("application\t%s (%s)", p.Resource, p.Kind)
	line("main class\t%s", orNone(p.MainClass, "none: the program is started itself"))
	line("arguments\t%s", orNone(quoted(p.ChildArgs), "none"))
	line("class path\t%s", orNone(strings.Join(p.ClassPath, " "), "none"))
	switch {
	case p.Inherits:
		line("environment\tall of this process")
	case len(p.Environment) == 0:
		line("environment\tnothing of this process")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, v := range p.Environment {
		line("environment %s\t%s", v.Key, v.Value)
	}
	line("\nsettings:")
	for _, s := range p.Properties {
		line("  %s\t%s\t%s", s.Key, strconv.Quote(s.Value), s.Origin)
	}
	for _, s := range p.Removed {
		line("  %s\tnot passed on\t%s", s.Key, s.Why)
	}
	line("")
	if am := p.AM; am != nil {
		line("YARN is asked for %d MiB (%d of heap, %d beside it), cores: %d, queue %s, type %s; the container runs", am.MemoryMB, am.HeapMB, am.OverheadMB, am.Cores, am.Queue, am.Type)
		line("  %s\n", am.Command)
	}
	for _, n := range p.Notes {
		line("note: %s", n)
	}
	fmt.Fprintln(t, oneline.Lines(orNone(p.NotRun, "coherer runs this: leave --dry-run out"))) // a line for each reason
	return t.Flush()
}

// orNone is s, or what stands for the empty text.
func orNone(s, none string) string {
	if s == "" {
		return none
	}
	return s
}

// quoted are arguments as a shell would read them, in double quotes where that matters.
func quoted(args []string) string {
	out := make([]string, len(args))
	for i, arg := range args {
		if out[i] = arg; arg == "" || strings.ContainsAny(arg, " \t\n\"'\\$*?[]{}()<>|&;#`!") {
			out[i] = strconv.Quote(arg)
		}
	}
	return strings.Join(out, " ")
}
