package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/actors/submit"
)

var errNoClusterMode = errors.New("--deploy-mode cluster, --kill and --status are not there yet: only client mode is, the driver runs here")

// submitToCluster submits a driver that runs on a Worker.
func submitToCluster(cmd *cobra.Command, _ submission) error { return usage(cmd, errNoClusterMode) }

// killSubmission kills the driver of a.Submission.
func killSubmission(cmd *cobra.Command, _ *submit.Arguments) error {
	return usage(cmd, errNoClusterMode)
}

// submissionStatus prints the state of the driver of a.Submission.
func submissionStatus(cmd *cobra.Command, _ *submit.Arguments) error {
	return usage(cmd, errNoClusterMode)
}
