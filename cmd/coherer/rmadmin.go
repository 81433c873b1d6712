package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/oneline"
)

func rmadminCommand(s streams) *cobra.Command {
	return newGroup(&cobra.Command{
		Use: "rmadmin", GroupID: "daemons", Short: "Administer a ResourceManager of YARN",
	}, moveCommand(s), refreshNodesCommand(s))
}

type refreshNodesOptions struct {
	ofYARN
	graceful bool
	given    *pflag.FlagSet
	patience time.Duration
}

// refreshNodesCommand mirrors yarn rmadmin -refreshNodes [-g [timeout]].
func refreshNodesCommand(s streams) *cobra.Command {
	return newCommand(s, &refreshNodesOptions{}, &cobra.Command{
		Use: "refresh-nodes", Aliases: []string{"refreshNodes"}, Short: "Make a ResourceManager read its lists of hosts again",
		Long: "Make a ResourceManager read its lists of hosts again, those of yarn.resourcemanager.nodes.include-path and exclude-path:\n" +
			"a node that the lists no longer allow gets the order to end, and one that they allow can come back. With --graceful such a node gets\n" +
			"nothing new, and ends when its containers have ended or the time-out is over. fair-scheduler.xml needs no command: it is\n" +
			"read again when it changes.",
		Example: "  coherer rmadmin refresh-nodes --master yarn://127.0.0.1:8032 --graceful --timeout 10m",
		Args:    arguments(0, 0),
	})
}

func (o *refreshNodesOptions) flags(f *pflag.FlagSet) {
	o.ofYARN.flags(f)
	f.BoolVar(&o.graceful, "graceful", false, "let nodes that are excluded now end what they run")
	f.DurationVar(&o.patience, "timeout", 0, "for how long; left out, yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs")
	o.given = f
}

func (o *refreshNodesOptions) run(ctx context.Context, s streams, _ []string) error {
	switch {
	case o.given.Changed("timeout") && !o.graceful:
		return usage(errors.New("--timeout is for --graceful: without it nodes end at once"))
	case o.given.Changed("timeout") && o.patience < time.Second:
		return usage(fmt.Errorf("--timeout %v: want 1s at least", o.patience))
	}
	at, err := o.resourceManager(ctx)
	if err != nil {
		return err
	}
	q := &yarn.RefreshNodesRequest{Graceful: o.graceful, DecommissionTimeout: int32(min(o.patience/time.Second, math.MaxInt32))}
	if _, err := askResourceManager(ctx, "RMAdmin", at, ids.ResourceTracker, q); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, "The lists of hosts hold as they are now.")
	return err
}

type moveOptions struct{ ofYARN }

// moveCommand mirrors yarn application -changeQueue.
func moveCommand(s streams) *cobra.Command {
	return newCommand(s, &moveOptions{}, &cobra.Command{
		Use: "move APPLICATION QUEUE", Short: "Take an application into another queue",
		Long: "Take an application that waits or runs into another queue, with what it has and wants. Nothing moves when that would\n" +
			"break a limit of the queue (maxRunningApps, maxResources), or when the scheduler is the FifoScheduler.",
		Example: "  coherer rmadmin move application_1767225600000_0001 root.b --master yarn://127.0.0.1:8032",
		Args:    arguments(2, 2),
	})
}

func (o *moveOptions) run(ctx context.Context, s streams, args []string) error {
	id, err := ids.ParseApplication(args[0])
	if err != nil {
		return usage(err)
	}
	at, err := o.resourceManager(ctx)
	if err != nil {
		return err
	}
	q := &yarn.MoveApplicationAcrossQueuesRequest{ApplicationId: id.Proto(), TargetQueue: args[1]}
	if _, err := askResourceManager(ctx, "RMAdmin", at, ids.ClientRMService, q); err != nil {
		return err
	}
	_, err = oneline.Fprintf(s.out, "%s is in queue %s.\n", id, args[1])
	return err
}
