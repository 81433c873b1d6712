package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/transport"
)

// submitToYARN submits an application whose driver runs in the cluster, in the application master.
func submitToYARN(cmd *cobra.Command, s submission) error {
	resource := s.args.CommandLine.Resource
	if path, local := submit.FilePath(resource); local && !s.args.BuiltIn {
		resource = path
	}
	a, err := findApplication(append([]string{resource}, s.args.Args...))
	if err != nil {
		return usage(cmd, err)
	}
	// No readable here: the file of a built-in application need only be on the node of the driver.
	values := s.decision.Properties.Values()
	out := yarnclient.Submission{Mode: submit.Cluster, Name: called(values, a), Class: a.name, Args: a.args}
	if !s.args.BuiltIn {
		out.Jar = s.decision.Resource
	}
	if class, set := s.args.Get("--class"); set && !s.args.BuiltIn {
		out.Class = class.Value
	}
	if a.main == "" {
		out.Program = a.program[0]
	}
	return runner.SubmitToYARN(cmd.Context(), values, a.main, out, os.Stdout, os.Stderr)
}

// aboutYARN ends an application on YARN, or prints its state.
func aboutYARN(cmd *cobra.Command, a *submit.Arguments) error {
	if form, _ := a.Value("--output"); form == "json" {
		return usage(cmd, errors.New("-o json is for --dry-run, and for --status by REST: for applications on YARN there is only text"))
	}
	if _, err := ids.ParseApplication(a.Submission); err != nil {
		return usage(cmd, err)
	}
	in, err := hadoopSettings(variables(), clientOfYARN)
	if err != nil {
		return err
	}
	// As Spark's settings spark.hadoop.*, of which those of the command line win.
	for _, s := range in {
		s.Key = conf.HadoopPrefix + s.Key
		a.Settings.SetMissing(s)
	}
	cfg := yarnclient.Config{Status: a.Submission}
	if a.Action == submit.Kill {
		cfg = yarnclient.Config{Kill: a.Submission}
	}
	return runner.AskYARN(cmd.Context(), a.Settings.Values(), cfg, os.Stdout, os.Stderr)
}

// The roles that read Hadoop's settings.
const (
	clientOfYARN    = "client"
	resourceManager = "resourcemanager"
	nodeManager     = "nodemanager"
)

// ofAnother reports whether a setting is of another role alone. One file serves all roles, and that of a Hadoop may have a value that
// only Hadoop can use, such as a directory in HDFS: it must not stop a role that does not need it.
func ofAnother(role, key string) bool {
	owner := ""
	switch key {
	case conf.ResourceManagerStore.Key(), conf.SchedulerClass.Key(), conf.NodesIncludePath.Key(), conf.NodesExcludePath.Key(), conf.FairAllocationFile.Key():
		owner = resourceManager
	default:
		if strings.HasPrefix(key, "yarn.nodemanager.") {
			owner = nodeManager
		}
	}
	return owner != "" && owner != role
}

// hadoopSettings are those of yarn-site.xml and core-site.xml in YARN_CONF_DIR, and in HADOOP_CONF_DIR what these do not have, for a
// role. It leaves out what the role does not read: those files belong to other programs too.
func hadoopSettings(env map[string]string, role string) ([]conf.Setting, error) {
	var all conf.Settings
	for _, variable := range []string{"YARN_CONF_DIR", "HADOOP_CONF_DIR"} {
		dir, err := confDir(variable, env[variable])
		if err != nil {
			return nil, err
		}
		if dir == "" {
			continue
		}
		for _, file := range []string{"yarn-site.xml", "core-site.xml"} {
			list, err := readHadoop(filepath.Join(dir, file))
			if err != nil {
				return nil, err
			}
			all.SetMissing(slices.DeleteFunc(list, func(s conf.Setting) bool { return !conf.IsHadoops(s.Key) || ofAnother(role, s.Key) })...)
		}
	}
	return all.Sorted(), nil
}

// readHadoop reads a file of Hadoop's settings; a missing file is empty.
func readHadoop(path string) ([]conf.Setting, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return conf.ReadHadoop(f, path)
}

// library is coherer's own program: in client mode it is the application master.
func library() (string, error) {
	_, self, err := transport.SelfDigest()
	return self, err
}

// onYARN reports whether a command line is about YARN.
func onYARN(a *submit.Arguments) bool { return a.Master() == "yarn" }
