package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"
)

// noFlags are those of a command that has none.
type noFlags struct{}

func (noFlags) flags(*pflag.FlagSet) {}

// output is the flag -o text|json.
type output struct{ asJSON bool }

func (o *output) flags(f *pflag.FlagSet) { f.VarP(o, "output", "o", "text or json") }

// String, Set and Type make it a pflag.Value.
func (o *output) String() string {
	if o.asJSON {
		return "json"
	}
	return "text"
}

func (o *output) Set(form string) error {
	if form != "text" && form != "json" {
		return errors.New("want text or json")
	}
	o.asJSON = form == "json"
	return nil
}

func (*output) Type() string { return "string" }

// interval is the flag --interval.
type interval time.Duration

func (i *interval) flags(f *pflag.FlagSet) {
	f.DurationVar((*time.Duration)(i), "interval", time.Second, "time between two looks")
}

func (i interval) check() error {
	if time.Duration(i) < 100*time.Millisecond {
		return fmt.Errorf("--interval %v: want 100ms at least", time.Duration(i))
	}
	return nil
}

// ofCluster is the flag --master of a command that asks a cluster of either kind. The settings say by which name and keys gossip finds it.
type ofCluster struct {
	settings
	master string
}

func (o *ofCluster) flags(f *pflag.FlagSet) {
	o.settings.flags(f)
	f.StringVar(&o.master, "master", "", "`spark://HOST:PORT[,HOST:PORT...]` of the Masters, yarn://HOST:PORT of a ResourceManager, or "+anyMember)
}

// anyMember ends the help of a --master.
const anyMember = "gossip://HOST:PORT of any member, with --conf coherer.gossip.label and coherer.gossip.keyFile if the cluster has them; " +
	"left out, that of the run that goes on"

// find replaces a --master that is a gossip:// URL.
func (o *ofCluster) find(ctx context.Context, kind kindOfCluster) (err error) {
	if o.master, err = o.byGossip(ctx, o.master, kind); err != nil {
		return fmt.Errorf("--master: %w", err)
	}
	return nil
}

// ofYARN is ofCluster for a command that asks a cluster of YARN.
type ofYARN struct{ ofCluster }

func (o *ofYARN) flags(f *pflag.FlagSet) {
	o.settings.flags(f)
	f.StringVar(&o.master, "master", "", "`yarn://HOST:PORT` of the ResourceManager, or "+anyMember)
}

// members is the flag --join, which names members of a cluster by the addresses of their gossip.
type members struct{ join string }

func (m *members) flags(f *pflag.FlagSet) {
	f.StringVar(&m.join, "join", "", "`HOST:PORT[,HOST:PORT...]` of the gossip of members of the cluster")
}
