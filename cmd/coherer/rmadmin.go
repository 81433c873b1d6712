package main

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/oneline"
)

func rmadminCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "rmadmin", GroupID: "daemons", Short: "Administer a ResourceManager of YARN",
		Args: aCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(moveCommand(), refreshNodesCommand())
	return cmd
}

// refreshNodesCommand mirrors yarn rmadmin -refreshNodes [-g [timeout]].
func refreshNodesCommand() *cobra.Command {
	var at string
	var graceful bool
	var patience time.Duration
	cmd := &cobra.Command{
		Use: "refresh-nodes", Aliases: []string{"refreshNodes"}, Short: "Make a ResourceManager read its lists of hosts again",
		Long: "Make a ResourceManager read its lists of hosts again, those of yarn.resourcemanager.nodes.include-path and exclude-path:\n" +
			"a node that the lists no longer allow gets the order to end, and one that they allow can come back. With --graceful such a node gets\n" +
			"nothing new, and ends when its containers have ended or the time-out is over. fair-scheduler.xml needs no command: it is\n" +
			"read again when it changes.",
		Example: "  coherer rmadmin refresh-nodes --master yarn://127.0.0.1:8032 --graceful --timeout 10m",
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			q := &yarn.RefreshNodesRequest{Graceful: graceful, DecommissionTimeout: int32(min(patience/time.Second, math.MaxInt32))}
			if cmd.Flags().Changed("timeout") {
				switch {
				case !graceful:
					return usage(cmd, errors.New("--timeout is for --graceful: without it nodes end at once"))
				case patience < time.Second:
					return usage(cmd, fmt.Errorf("--timeout %v: want 1s at least", patience))
				}
			}
			address, err := resourceManagerAt(at)
			if err != nil {
				return err
			}
			if _, err := askResourceManager(cmd.Context(), address, resourcemanager.ResourceTrackerName, q); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "The lists of hosts hold as they are now.")
			return err
		},
	}
	cmd.Flags().StringVar(&at, "master", "", "`yarn://HOST:PORT` of the ResourceManager; left out, that of the run that goes on")
	cmd.Flags().BoolVar(&graceful, "graceful", false, "let nodes that are excluded now end what they run")
	cmd.Flags().DurationVar(&patience, "timeout", 0, "for how long; left out, yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs")
	return cmd
}

// moveCommand mirrors yarn application -changeQueue.
func moveCommand() *cobra.Command {
	var at string
	cmd := &cobra.Command{
		Use: "move APPLICATION QUEUE", Short: "Take an application into another queue",
		Long: "Take an application that waits or runs into another queue, with what it has and wants. Nothing moves when that would\n" +
			"break a limit of the queue (maxRunningApps, maxResources), or when the scheduler is the FifoScheduler.",
		Example: "  coherer rmadmin move application_1767225600000_0001 root.b --master yarn://127.0.0.1:8032",
		Args:    arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := ids.ParseApplication(args[0])
			if err != nil {
				return usage(cmd, err)
			}
			address, err := resourceManagerAt(at)
			if err != nil {
				return err
			}
			q := &yarn.MoveApplicationAcrossQueuesRequest{ApplicationId: id.Proto(), TargetQueue: args[1]}
			if _, err := askResourceManager(cmd.Context(), address, resourcemanager.ClientRMServiceName, q); err != nil {
				return err
			}
			_, err = oneline.Fprintf(cmd.OutOrStdout(), "%s is in queue %s.\n", id, args[1])
			return err
		},
	}
	cmd.Flags().StringVar(&at, "master", "", "`yarn://HOST:PORT` of the ResourceManager; left out, that of the run that goes on")
	return cmd
}
