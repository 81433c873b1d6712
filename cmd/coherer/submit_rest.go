package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/restclient"
	server "github.com/coherer/coherer/cluster/web/rest"
	"github.com/coherer/coherer/rpcenv/oneline"
)

// inCluster submits a driver that runs on a Worker: by REST first when spark.master.rest.enabled says so, and by RPC when
// no REST server answers. It mirrors SparkSubmit.submit.
func inCluster(ctx context.Context, s streams, sub submission) error {
	if !sub.decision.REST {
		return submitToCluster(ctx, s, sub)
	}
	err := submitByREST(ctx, s, sub)
	if !errors.Is(err, restclient.ErrNoServer) {
		return err
	}
	fallBack(s, sub.args, err)
	// ErrNoServer says that no server has the submission, so a second way cannot start the driver twice. Decide again: the child
	// process of the RPC gateway has another class and other arguments.
	if sub.decision, err = submit.Decide(sub.args, sub.in); err != nil {
		return err
	}
	return submitToCluster(ctx, s, sub)
}

// aboutDriver kills a driver or asks for its state, by REST if the settings want that and a server answers, else by RPC.
func aboutDriver(ctx context.Context, s streams, a *submit.Arguments) error {
	m, err := submit.ParseMaster(a.Master())
	if err != nil || m.Manager != submit.Standalone {
		return usage(fmt.Errorf("--kill and --status are about drivers of a standalone cluster: name its Master with --master spark://HOST:PORT, not %s", a.Master()))
	}
	form, _ := a.Value("--output")
	if form == "json" && !a.REST {
		return usage(errors.New("-o json is for --dry-run, and for --status by REST, with --conf spark.master.rest.enabled=true"))
	}
	if a.REST {
		token, err := tokenFor(a.Settings.Values())
		if err != nil {
			return err
		}
		// Any other error ends it here: a server may have done what was asked.
		if err = aboutByREST(ctx, s, a, restclient.New(m.Masters, token)); !errors.Is(err, restclient.ErrNoServer) {
			return err
		}
		fallBack(s, a, err)
	}
	if _, set := a.Get("--master"); !set {
		return usage(errors.New("name the Master with --master spark://HOST:PORT"))
	}
	cfg := driverclient.Config{Status: a.Submission}
	if a.Action == submit.Kill {
		cfg = driverclient.Config{Kill: a.Submission}
	}
	return callMasters(ctx, s, a.Master(), a.Settings.Values(), cfg)
}

func aboutByREST(ctx context.Context, s streams, a *submit.Arguments, client *restclient.Client) error {
	if a.Action != submit.Kill {
		r, err := client.Status(ctx, a.Submission)
		if err != nil {
			return err
		}
		return printStatus(s, &a.CommandLine, r)
	}
	r, err := client.Kill(ctx, a.Submission)
	if err == nil {
		fmt.Fprintln(s.err, oneline.Lines(r.Message))
	}
	return err
}

// tokenFor is the token of coherer.rest.tokenFile, which a server may want; empty when no file is set.
func tokenFor(values map[string]string) (string, error) {
	if path := values[known.RESTTokenFile.Key()]; path != "" {
		return server.ReadToken(path)
	}
	return "", nil
}

// fallBack gives up REST and warns of it, in spark-submit's words.
func fallBack(s streams, a *submit.Arguments, why error) {
	oneline.Fprintf(s.err, "Warning: Master endpoint %s was not a REST server. Falling back to legacy submission gateway instead. (%v)\n", a.Master(), why)
	a.REST = false
}

// submitByREST submits by REST and prints the driver's first state.
func submitByREST(ctx context.Context, s streams, sub submission) error {
	m, err := submit.ParseMaster(sub.decision.Master)
	if err != nil {
		return usage(err)
	}
	environment := map[string]string{}
	for _, v := range sub.decision.Environment {
		environment[v.Key] = v.Value
	}
	args := sub.decision.ChildArgs // the resource and its class come first
	if sub.args.BuiltIn {
		found, err := findApplication(append([]string{sub.args.CommandLine.Resource}, args[2:]...))
		if err != nil {
			return usage(err)
		}
		// The full slice expression makes append copy: the decision keeps its own arguments.
		args = append(args[:2:2], found.args...)
	}
	token, err := tokenFor(sub.decision.Properties.Values())
	if err != nil {
		return err
	}
	client := restclient.New(m.Masters, token)
	oneline.Fprintf(s.err, "Submitting a request to launch an application in %s.\n", sub.decision.Master)
	r, err := client.Create(ctx, restclient.Submission{
		Resource: args[0], Class: args[1], Args: args[2:], Properties: sub.decision.Properties.Values(), Environment: environment,
	})
	if err != nil {
		return err
	}
	if len(r.UnknownFields) > 0 {
		fmt.Fprintf(s.err, "Warning: the server does not know the fields %q\n", r.UnknownFields)
	}
	oneline.Fprintf(s.err, "Submission successfully created as %s. Polling submission state...\n", r.SubmissionID)
	r, err = client.FirstStatus(ctx, r.SubmissionID)
	if err != nil {
		return err
	}
	return printStatus(s, &sub.args.CommandLine, r)
}

// printStatus prints the state of a driver.
func printStatus(s streams, line *submit.CommandLine, r *restclient.Response) error {
	if form, _ := line.Value("--output"); form == "json" {
		return s.json(r)
	}
	if _, err := oneline.Fprintf(s.out, "State of driver %s is now %s.\n", r.SubmissionID, r.DriverState); err != nil {
		return err
	}
	if r.WorkerID != "" {
		oneline.Fprintf(s.err, "Driver is running on worker %s at %s.\n", r.WorkerID, r.WorkerHostPort)
	}
	if r.Message != "" {
		fmt.Fprintln(s.err, oneline.Lines(r.Message))
	}
	return nil
}
