package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/oneline"
)

func configCommand(s streams) *cobra.Command {
	return newGroup(&cobra.Command{
		Use: "config", GroupID: "look", Short: "Show the settings, their values and where these come from",
	}, configShowCommand(s))
}

type configShowOptions struct {
	settings
	output
	origin bool
	of     string
}

func configShowCommand(s streams) *cobra.Command {
	return newCommand(s, &configShowOptions{}, &cobra.Command{
		Use: "show [flags] [FILTER]", Short: "Show every known setting",
		Long: "Show every known setting with its value, its default and what it means; with FILTER, those whose name contains it.\n" +
			"The values are those of a submission, or of a daemon with --for: from --conf, --properties-file or spark-defaults.conf\n" +
			"in SPARK_CONF_DIR or SPARK_HOME/conf, and the environment. Values that spark.redaction.regex matches are not shown.",
		Example: "  coherer config show worker.timeout\n  coherer config show --origin --conf spark.network.timeout=60s network\n" +
			"  coherer config show --for master --origin -o json",
		Args: arguments(0, 1),
	})
}

func (o *configShowOptions) flags(f *pflag.FlagSet) {
	o.settings.flags(f)
	o.output.flags(f)
	f.BoolVar(&o.origin, "origin", false, "say where each value comes from")
	f.StringVar(&o.of, "for", "submit", "whose environment is read: that of submit, of a master or of a worker")
}

func (o *configShowOptions) run(_ context.Context, s streams, args []string) error {
	var err error
	if o.environment, err = environmentOf(o.of); err != nil {
		return usage(err)
	}
	all, c, err := o.check()
	if err != nil {
		return usage(err)
	}
	s.warn(c.Warnings())
	shown, err := shownSettings(all, c, strings.Join(args, ""))
	if err != nil {
		return err
	}
	if o.asJSON {
		return s.json(shown)
	}
	return printSettings(s.out, shown, o.origin)
}

// environmentOf reads the variables of the environment that a command uses.
func environmentOf(of string) (*environment, error) {
	switch of {
	case "submit":
		var variables []variable
		for _, o := range submit.Options() {
			if o.Env != "" {
				variables = append(variables, variable{name: o.Env, key: o.Key})
			}
		}
		e := &environment{}
		e.readSettings(variables)
		return e, nil
	case "master":
		return readEnvironment(masterVariables, "SPARK_MASTER_OPTS")
	case "worker":
		return readEnvironment(workerVariables, "SPARK_WORKER_OPTS")
	}
	return nil, fmt.Errorf("--for %q: want submit, master or worker", of)
}

// shownSetting is a setting as it is shown.
type shownSetting struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Set     bool   `json:"set"`
	Default string `json:"default"`
	Form    string `json:"form"`
	Origin  string `json:"origin"`
	Meaning string `json:"meaning"`
	Awaits  string `json:"noEffectWithout,omitempty"`
	Lacks   string `json:"refusedBecause,omitempty"`
}

// shownSettings are the known settings, and the unknown ones that are set, whose names contain filter.
func shownSettings(all *conf.Settings, c *conf.Conf, filter string) ([]shownSetting, error) {
	described := map[string]conf.Described{}
	var names []string
	for _, d := range known.All().Entries() {
		described[d.Key] = d
		names = append(names, d.Key)
	}
	for _, s := range all.Sorted() {
		// An application may read settings of its own, so an unknown one that is set is listed too.
		if _, set := c.Get(s.Key); set && described[s.Key].Key == "" {
			described[s.Key] = conf.Described{Key: s.Key, Doc: "Not known here; the application may read it."}
			names = append(names, s.Key)
		}
	}
	slices.Sort(names)
	shown := []shownSetting{}
	for _, name := range names {
		if strings.Contains(strings.ToLower(name), strings.ToLower(filter)) {
			shown = append(shown, effective(all, c, described, name))
		}
	}
	// A filter without a match is most often a typing error: an empty table would pass for an answer.
	if len(shown) == 0 {
		hint := "coherer config show lists all"
		if near, ok := conf.Nearest(filter, names); ok {
			hint = "did you mean " + near + "?"
		}
		return nil, fmt.Errorf("no setting has %q in its name: %s", filter, hint)
	}
	return shown, nil
}

// effective is the value in force of a setting: the one that was set, else that of the setting which it falls back to, else its default.
func effective(all *conf.Settings, c *conf.Conf, described map[string]conf.Described, name string) shownSetting {
	d := described[name]
	s := shownSetting{Key: name, Default: d.Default, Form: d.Form, Meaning: d.Doc, Awaits: d.Awaits, Lacks: d.Lacks, Origin: "default"}
	if set, ok := all.Get(name); ok {
		s.Value, s.Set, s.Origin = set.Value, true, set.From.String()
	} else if i := slices.IndexFunc(d.Older, func(name string) bool { _, ok := all.Get(name); return ok }); i >= 0 {
		older, _ := all.Get(d.Older[i])
		s.Value, s.Set, s.Origin = older.Value, true, "= "+older.Key+" ("+older.From.String()+")"
	} else if other, falls := strings.CutPrefix(d.Default, "= "); falls {
		below := effective(all, c, described, other)
		s.Value, s.Origin = below.Value, "= "+strings.TrimPrefix(other+" ("+below.Origin+")", "= ")
	} else {
		s.Value = d.Default
	}
	// The expression names the words of secrets, so it would hide itself, and with it why other values are hidden.
	if name != rpcenv.RedactionRegex.Key() {
		s.Value = rpcenv.Redact(c, name, s.Value)
	}
	return s
}

// printSettings prints for people.
func printSettings(w io.Writer, shown []shownSetting, origin bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(s shownSetting) {
		if origin {
			oneline.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", s.Key, s.Value, s.Default, s.Origin, s.Meaning) // Flush returns the error of a failed write
			return
		}
		oneline.Fprintf(t, "%s\t%s\t%s\t%s\n", s.Key, s.Value, s.Default, s.Meaning)
	}
	row(shownSetting{Key: "SETTING", Value: "VALUE", Default: "DEFAULT", Origin: "FROM", Meaning: "MEANING"})
	for _, s := range shown {
		if s.Value == "" {
			s.Value = "-"
		}
		if s.Default == "" {
			s.Default = "-"
		}
		if s.Awaits != "" {
			s.Meaning += " No effect yet: there is no support for " + s.Awaits + "."
		}
		if s.Lacks != "" {
			s.Meaning += " Any other value is refused: " + s.Lacks + "."
		}
		row(s)
	}
	return t.Flush()
}
