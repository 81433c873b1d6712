package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/cluster/top"
	"github.com/coherer/coherer/rpcenv"
)

type topOptions struct {
	settings
	output
	interval
	once bool
}

func topCommand(s streams) *cobra.Command {
	return newCommand(s, &topOptions{}, &cobra.Command{
		Use: "top [RUN | spark://HOST:PORT... | yarn://HOST:PORT... | gossip://HOST:PORT]", GroupID: "look", Short: "Show which endpoints have most waiting, live",
		Long: "Show the endpoints of all processes of a cluster: how many items wait in each inbox or are in hand, how long they waited and\n" +
			"were worked on, how many were handled a second, how many failed. Those with most waiting come first.\n" +
			"The endpoint Metrics, which answers top, is left out.\n\n" +
			"RUN is the name or the path of a run directory; latest when it is left out. spark://HOST:PORT is a process of a cluster, best a\n" +
			"Master; yarn://HOST:PORT is a ResourceManager; gossip://HOST:PORT is any member. From it top finds the others by their\n" +
			"connections. Times are measured from the first look on, and cover an interval.\n" +
			"On a terminal the page is drawn anew each interval, elsewhere the tables follow each other; as JSON each is one object. It ends\n" +
			"with the run, or by Ctrl-C.",
		Example: "  coherer top\n  coherer top spark://127.0.0.1:7077\n  coherer top --once -o json | jq '.rows[0]'",
	})
}

func (o *topOptions) flags(f *pflag.FlagSet) {
	o.settings.flags(f)
	o.output.flags(f)
	o.interval.flags(f)
	f.BoolVar(&o.once, "once", false, "show one interval and end")
}

func (o *topOptions) run(ctx context.Context, s streams, args []string) error {
	if err := o.interval.check(); err != nil {
		return usage(err)
	}
	args, err := o.addressed(ctx, args)
	if err != nil {
		return err
	}
	watched, err := findWatched(args)
	switch {
	case errors.Is(err, rpcenv.ErrInvalidURL):
		return usage(err)
	case errors.Is(err, errNoRun):
		return fmt.Errorf("%w, or name a process of a cluster: coherer top spark://HOST:PORT", err)
	case err != nil:
		return err
	}
	return o.show(ctx, s, watched)
}

// watched is what top looks at.
type watched struct {
	roots []rpcenv.Address
	// rm is the ResourceManager of a run on YARN, which is then the only root.
	rm rpcenv.Address
	// run is the directory of the run; empty when processes were named.
	run string
}

// errNoRun means that no run goes on. The error around it says what to do; a command adds how to name a cluster.
var errNoRun = errors.New("no run goes on")

// findWatched finds a run that goes on, or the processes that are named.
func findWatched(args []string) (watched, error) {
	var w watched
	// The first argument decides: a mixture of processes and runs fails in ParseProcessURL.
	if len(args) > 0 && rpcenv.IsProcessURL(args[0]) {
		for _, arg := range args {
			at, err := rpcenv.ParseProcessURL(arg)
			if err != nil {
				return w, err
			}
			w.roots = append(w.roots, at...)
		}
		return w, nil
	}
	if len(args) > 1 {
		return w, usage(errors.New("want one RUN, or several spark://HOST:PORT"))
	}
	name := strings.Join(args, "")
	var err error
	if w.run, err = runner.Find(name); err != nil {
		if name == "" {
			return w, fmt.Errorf("%w: start one with coherer run", errNoRun)
		}
		return w, orProcess(err, name)
	}
	if w.run, err = filepath.EvalSymlinks(w.run); err != nil { // latest may point at another run soon
		return w, err
	}
	d, err := runner.ReadDetails(w.run)
	switch {
	// The details have an end when the run has one. Without it the process that runs it is gone by a kill, or lives; only a run
	// that lives may be without details for a while.
	case err == nil && d.End != nil:
		return w, fmt.Errorf("%w: %s ended at %s: start one with coherer run, or see its messages with coherer trace show",
			errNoRun, d.Name, d.End.Local().Format(time.DateTime))
	case !runner.GoesOn(w.run):
		return w, fmt.Errorf("%w: %s was killed: start one with coherer run, or see its messages with coherer trace show", errNoRun, filepath.Base(w.run))
	case errors.Is(err, fs.ErrNotExist):
		return w, fmt.Errorf("the run %s has no cluster yet: try again", filepath.Base(w.run))
	case err != nil:
		return w, err
	}
	for _, master := range d.Masters {
		at, err := rpcenv.ParseProcessURL(master)
		if err != nil {
			return w, fmt.Errorf("%s: %w", w.run, err)
		}
		w.roots = append(w.roots, at...)
	}
	if d.ResourceManager != "" {
		if w.rm, err = rpcenv.ParseAddress(d.ResourceManager); err != nil {
			return w, fmt.Errorf("%s: %w", w.run, err)
		}
		w.roots = append(w.roots, w.rm)
	}
	return w, nil
}

// orProcess adds a hint to the error about an unknown run when its name looks like the address of a process.
func orProcess(err error, name string) error {
	if _, bad := rpcenv.ParseAddress(name); bad != nil {
		return err
	}
	return fmt.Errorf("%w: the process at that address is named spark://%s", err, name)
}

// ended reports whether the run has ended.
func (w watched) ended() bool {
	return w.run != "" && !runner.GoesOn(w.run)
}

func (o *topOptions) show(ctx context.Context, s streams, w watched) error {
	own, err := client("Top")
	if err != nil {
		return err
	}
	defer own.Close()
	before, err := top.Take(ctx, own.Env, w.roots)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("%w: is it running? Start a cluster with coherer run, or a Master with coherer master", err)
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Duration(o.interval)):
		}
		now, err := top.Take(ctx, own.Env, w.roots)
		switch {
		case ctx.Err() != nil:
			return nil
		// No root answers: for a page that is drawn again and again this is the end. A single page must not fail silently,
		// unless its run ended meanwhile.
		case err != nil && (w.ended() || !o.once):
			fmt.Fprintln(s.err, "the cluster has ended")
			return nil
		case err != nil:
			return err
		}
		if err := o.print(s, before, now); err != nil || o.once {
			return err
		}
		before = now
	}
}

// page is an interval as JSON.
type page struct {
	Time   time.Time    `json:"time"`
	Rows   []top.Row    `json:"rows"`
	Silent []silentJSON `json:"silent,omitempty"`
}

type silentJSON struct {
	Process string `json:"process,omitempty"`
	Address string `json:"address"`
	Error   string `json:"error"`
}

func (o *topOptions) print(s streams, before, now top.Sample) error {
	if o.asJSON {
		p := page{Time: time.Now(), Rows: top.Rows(before, now)}
		for _, silent := range now.Silent {
			p.Silent = append(p.Silent, silentJSON{silent.Name, silent.Address.String(), silent.Err.Error()})
		}
		return json.NewEncoder(s.out).Encode(p)
	}
	text := top.Table(before, now, 0) + "\n"
	if rows, columns, terminal := s.window(); terminal {
		text = top.Redraw(top.Table(before, now, rows), columns)
	}
	_, err := fmt.Fprint(s.out, text)
	return err
}
