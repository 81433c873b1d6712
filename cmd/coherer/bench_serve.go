package main

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/bench"
)

type benchServeOptions struct{ listen, rivals string }

func benchServeCommand(s streams) *cobra.Command {
	return newCommand(s, &benchServeOptions{}, &cobra.Command{
		Use: "serve", Short: "Have the receiving sides of a bench at another machine",
		Long: "Have the receiving sides of remote cases for coherer bench --connect at another machine, until Ctrl-C. It says what it starts,\n" +
			"and starts nothing but contenders. Whoever reaches the port can start these: listen at loopback, which is the default, or in a\n" +
			"network that you trust. Both machines want the same version. The receiving sides listen at free ports of the address that\n" +
			"--connect names. Between machines tells have no latency: it would compare two clocks.",
		Example: strings.Join([]string{
			"  coherer bench serve --listen 192.0.2.7:7099         at one machine",
			"  coherer bench remote-ask --connect 192.0.2.7:7099   at the other",
		}, "\n"),
		Args: arguments(0, 0),
	})
}

func (o *benchServeOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.listen, "listen", "127.0.0.1:7099", "`HOST:PORT` to listen at")
	f.StringVar(&o.rivals, "rivals", "", "as for bench: a program of rivals, a `FILE`, or none")
}

func (o *benchServeOptions) run(ctx context.Context, s streams, _ []string) error {
	if _, _, err := net.SplitHostPort(o.listen); err != nil {
		return usage(fmt.Errorf("--listen: %w: want HOST:PORT", err))
	}
	ln, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	serve := bench.ServeOptions{Rivals: o.rivals, Progress: s.err}
	if serve.Program, serve.Args, err = contenderProgram(); err != nil {
		return err
	}
	return bench.Serve(ctx, ln, serve) // a signal is how it is meant to end
}
