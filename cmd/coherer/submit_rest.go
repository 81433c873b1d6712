package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/restclient"
	server "github.com/coherer/coherer/cluster/web/rest"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/oneline"
)

// inCluster submits a driver that runs on a Worker: by REST first when spark.master.rest.enabled says so, and by RPC when
// no REST server answers. It mirrors SparkSubmit.submit.
func inCluster(cmd *cobra.Command, s submission) error {
	if !s.decision.REST {
		return submitToCluster(cmd, s)
	}
	err := submitByREST(cmd, s)
	if !errors.Is(err, restclient.ErrNoServer) {
		return err
	}
	fallBack(s.args, err)
	// ErrNoServer says that no server has the submission, so a second way cannot start the driver twice. Decide again: the child
	// process of the RPC gateway has another class and other arguments.
	if s.decision, err = submit.Decide(s.args, s.in); err != nil {
		return err
	}
	return submitToCluster(cmd, s)
}

// byREST kills a driver or asks for its state, by REST if the settings want that and a server answers, else by RPC.
func byREST(cmd *cobra.Command, a *submit.Arguments, rest func(*restclient.Client) error, rpc func(*cobra.Command, *submit.Arguments) error) error {
	m, err := submit.ParseMaster(a.Master())
	if err != nil || m.Manager != submit.Standalone {
		return usage(cmd, fmt.Errorf("--kill and --status are about drivers of a standalone cluster: name its Master with --master spark://HOST:PORT, not %s", a.Master()))
	}
	form, _ := a.Value("--output")
	if form == "json" && !a.REST {
		return usage(cmd, errors.New("-o json is for --dry-run, and for --status by REST, with --conf spark.master.rest.enabled=true"))
	}
	if !a.REST {
		return rpc(cmd, a)
	}
	token, err := tokenFor(a.Settings.Values())
	if err != nil {
		return err
	}
	// Any other error ends it here: a server may have done what was asked.
	if err = rest(restclient.New(m.Masters, token)); !errors.Is(err, restclient.ErrNoServer) {
		return err
	}
	fallBack(a, err)
	return rpc(cmd, a)
}

// tokenFor is the token of coherer.rest.tokenFile, which a server may want; empty when no file is set.
func tokenFor(values map[string]string) (string, error) {
	if path := values[conf.RESTTokenFile.Key()]; path != "" {
		return server.ReadToken(path)
	}
	return "", nil
}

// fallBack gives up REST and warns of it, in spark-submit's words.
func fallBack(a *submit.Arguments, why error) {
	oneline.Fprintf(os.Stderr, "Warning: Master endpoint %s was not a REST server. Falling back to legacy submission gateway instead. (%v)\n", a.Master(), why)
	a.REST = false
}

// submitByREST submits by REST and prints the driver's first state.
func submitByREST(cmd *cobra.Command, s submission) error {
	m, err := submit.ParseMaster(s.decision.Master)
	if err != nil {
		return usage(cmd, err)
	}
	environment := map[string]string{}
	for _, v := range s.decision.Environment {
		environment[v.Key] = v.Value
	}
	args := s.decision.ChildArgs // the resource and its class come first
	if s.args.BuiltIn {
		found, err := findApplication(append([]string{s.args.CommandLine.Resource}, args[2:]...))
		if err != nil {
			return usage(cmd, err)
		}
		// The full slice expression makes append copy: the decision keeps its own arguments.
		args = append(args[:2:2], found.args...)
	}
	token, err := tokenFor(s.decision.Properties.Values())
	if err != nil {
		return err
	}
	client := restclient.New(m.Masters, token)
	oneline.Fprintf(os.Stderr, "Submitting a request to launch an application in %s.\n", s.decision.Master)
	r, err := client.Create(cmd.Context(), restclient.Submission{
		Resource: args[0], Class: args[1], Args: args[2:], Properties: s.decision.Properties.Values(), Environment: environment,
	})
	if err != nil {
		return err
	}
	if len(r.UnknownFields) > 0 {
		fmt.Fprintf(os.Stderr, "Warning: the server does not know the fields %q\n", r.UnknownFields)
	}
	oneline.Fprintf(os.Stderr, "Submission successfully created as %s. Polling submission state...\n", r.SubmissionID)
	r, err = client.FirstStatus(cmd.Context(), r.SubmissionID)
	if err != nil {
		return err
	}
	return printStatus(&s.args.CommandLine, r)
}

// killByREST kills a driver.
func killByREST(cmd *cobra.Command, a *submit.Arguments) func(*restclient.Client) error {
	return func(client *restclient.Client) error {
		r, err := client.Kill(cmd.Context(), a.Submission)
		if err == nil {
			fmt.Fprintln(os.Stderr, oneline.Lines(r.Message))
		}
		return err
	}
}

// statusByREST prints the state of a driver.
func statusByREST(cmd *cobra.Command, a *submit.Arguments) func(*restclient.Client) error {
	return func(client *restclient.Client) error {
		r, err := client.Status(cmd.Context(), a.Submission)
		if err != nil {
			return err
		}
		return printStatus(&a.CommandLine, r)
	}
}

// printStatus prints the state of a driver.
func printStatus(line *submit.CommandLine, r *restclient.Response) error {
	if form, _ := line.Value("--output"); form == "json" {
		return writeJSON(r)
	}
	if _, err := oneline.Fprintf(os.Stdout, "State of driver %s is now %s.\n", r.SubmissionID, r.DriverState); err != nil {
		return err
	}
	if r.WorkerID != "" {
		oneline.Fprintf(os.Stderr, "Driver is running on worker %s at %s.\n", r.WorkerID, r.WorkerHostPort)
	}
	if r.Message != "" {
		fmt.Fprintln(os.Stderr, oneline.Lines(r.Message))
	}
	return nil
}
