package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/cluster/scenario"
)

// errViolated is the end of a command that has printed which rules were violated.
var errViolated = errors.New("violated")

func scenarioCommand(s streams) *cobra.Command {
	return newGroup(&cobra.Command{
		Use: "scenario", GroupID: "run", Short: "Run scripts of known faults, and report whether the cluster holds",
		Long: "Run scripts of known faults in a simulation, and report whether the cluster holds: it keeps the rules that a script is\n" +
			"about, and all others, and the script prints what it should. The library has the faults of public bug reports under their ids.\n" +
			"Exit codes: 0 it holds, 1 a rule is violated or the script prints something else, 2 the script cannot be used\n(file:line:column says where).",
		Example: strings.Join([]string{
			"  coherer scenario list",
			"  coherer scenario show SPARK-27510",
			"  coherer scenario run SPARK-27510",
			"  coherer scenario run SPARK-27510 --compat upstream     the old fault is there: exit code 1",
			"  coherer scenario run --all -o json",
			"  coherer scenario run ./mine.txt --seed 7",
			"  coherer scenario run ./mine.txt --rewrite              write what it prints into the file",
		}, "\n"),
	}, scenarioListCommand(s), scenarioShowCommand(s), scenarioRunCommand(s))
}

// listed is a row of list: a script of the library.
type listed struct {
	Name       string   `json:"name"`
	About      string   `json:"about"`
	Invariants []string `json:"invariants"`
	Historic   string   `json:"historic,omitempty"`
}

type scenarioListOptions struct{ output }

func scenarioListCommand(s streams) *cobra.Command {
	return newCommand(s, &scenarioListOptions{}, &cobra.Command{
		Use: "list", Short: "The scripts of the library, and the rules", Args: arguments(0, 0),
	})
}

func (o *scenarioListOptions) run(_ context.Context, s streams, _ []string) error {
	var all []listed
	for _, name := range scenario.Library() {
		script, err := scenario.Open(name)
		if err != nil {
			return err
		}
		about, _, _ := strings.Cut(script.About, "\n")
		fault, _ := script.Historic()
		all = append(all, listed{name, about, script.Invariants(), fault})
	}
	if o.asJSON {
		return s.json(struct {
			Scenarios []listed         `json:"scenarios"`
			Rules     []invariant.Rule `json:"rules"`
		}{all, invariant.Rules})
	}
	var b strings.Builder
	for _, l := range all {
		fmt.Fprintf(&b, "%-12s %-10s %s\n", l.Name, strings.Join(l.Invariants, " "), l.About)
	}
	fmt.Fprintln(&b)
	for _, r := range invariant.Rules {
		fmt.Fprintf(&b, "%-4s %-20s %s\n", r.ID, r.Name, r.Statement)
	}
	_, err := fmt.Fprint(s.out, &b)
	return err
}

type scenarioShowOptions struct{ noFlags }

func scenarioShowCommand(s streams) *cobra.Command {
	return newCommand(s, scenarioShowOptions{}, &cobra.Command{
		Use: "show NAME", Short: "Print a script of the library", Args: arguments(1, 1),
	})
}

func (scenarioShowOptions) run(_ context.Context, s streams, args []string) error {
	script, err := openScenario(args[0])
	if err != nil {
		return usage(err)
	}
	_, err = fmt.Fprint(s.out, script)
	return err
}

type scenarioRunOptions struct {
	output
	all, rewrite bool
	seed         uint64
	compat       string
}

func scenarioRunCommand(s streams) *cobra.Command {
	return newCommand(s, &scenarioRunOptions{}, &cobra.Command{
		Use: "run NAME|FILE|--all", Short: "Run a script", Args: arguments(0, 1),
	})
}

func (o *scenarioRunOptions) flags(f *pflag.FlagSet) {
	o.output.flags(f)
	f.BoolVar(&o.all, "all", false, "all scripts of the library")
	f.Uint64Var(&o.seed, "seed", 0, "another order of what happens at one time; the output is not compared then")
	f.StringVar(&o.compat, "compat", "fixed", "fixed, or upstream: with the historic fault; the output is not compared then")
	f.BoolVar(&o.rewrite, "rewrite", false, "write what the script prints into its file")
}

func (o *scenarioRunOptions) run(ctx context.Context, s streams, args []string) error {
	if err := o.check(args); err != nil {
		return usage(err)
	}
	names := args
	if o.all {
		names = scenario.Library()
	}
	outcomes, err := o.outcomes(ctx, s, names)
	switch {
	// An interrupted run of all scripts reports those that ended; its error is the signal, not a wrong command line.
	case ctx.Err() != nil:
		return errors.Join(o.report(s, outcomes), err)
	case err != nil:
		return usage(err)
	}
	return o.report(s, outcomes)
}

func (o *scenarioRunOptions) check(args []string) error {
	// In this order: the last case has a name to look at, since those before it exclude --all and no name.
	switch {
	case o.all == (len(args) > 0):
		return errors.New("want the name of a script, a file, or --all")
	case o.compat != "fixed" && o.compat != "upstream":
		return fmt.Errorf("--compat %q: want fixed or upstream", o.compat)
	case o.rewrite && (o.all || o.seed != 0 || o.compat != "fixed"):
		return errors.New("--rewrite is of one file, without --seed and --compat")
	case o.rewrite && !isFile(args[0]):
		return fmt.Errorf("--rewrite is of one file, and %s is of the library: name a file by a path, such as ./mine.txt", args[0])
	}
	return nil
}

// outcomes runs scripts. With --all it leaves out those whose fault cannot be expressed. When ctx ends, it returns the outcomes so far.
func (o *scenarioRunOptions) outcomes(ctx context.Context, s streams, names []string) ([]*scenario.Outcome, error) {
	var outcomes []*scenario.Outcome
	for i, name := range names {
		script, err := openScenario(name)
		if err != nil {
			return nil, err
		}
		if o.all {
			fmt.Fprintf(s.err, "%d of %d: %s\n", i+1, len(names), name)
		}
		out, err := script.Run(ctx, scenario.Options{Seed: o.seed, Upstream: o.compat == "upstream"})
		switch {
		case ctx.Err() != nil:
			return outcomes, fmt.Errorf("%w: %d of %d scripts ran", context.Cause(ctx), i, len(names))
		// With --compat upstream: a fault that no switch turns on is no failure of the library.
		case o.all && errors.Is(err, scenario.ErrCannotExpress):
			fmt.Fprintln(s.err, "left out:", err)
			continue
		case err != nil:
			return nil, err
		}
		outcomes = append(outcomes, out)
	}
	return outcomes, nil
}

func (o *scenarioRunOptions) report(s streams, outcomes []*scenario.Outcome) error {
	holds := true
	for _, out := range outcomes {
		if o.rewrite {
			if err := os.WriteFile(out.Name, []byte(out.Script.String()), 0o600); err != nil {
				return err
			}
			// The file agrees with the outcome now, so that only a violated rule fails the command.
			out.Differences = nil
		}
		holds = holds && out.Holds()
		if !o.asJSON {
			if _, err := fmt.Fprint(s.out, out); err != nil {
				return err
			}
		}
	}
	if o.asJSON {
		if err := s.json(outcomes); err != nil {
			return err
		}
	}
	if !holds {
		return errViolated
	}
	return nil
}

// openScenario opens a file or a script of the library; see isFile.
func openScenario(name string) (*scenario.Script, error) {
	if isFile(name) {
		return scenario.Load(name)
	}
	return scenario.Open(name)
}

// isFile reports whether a name means a file: it has a separator or the ending .txt, or names a file here and no script of the library.
func isFile(name string) bool {
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".txt") {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && !slices.Contains(scenario.Library(), name)
}
