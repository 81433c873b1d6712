//coherer:pure

package submit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/coherer/coherer/rpcenv/conf"
)

// validate checks what the action needs. It mirrors SparkSubmitArguments.validateArguments, but tells of all problems.
func (a *Arguments) validate(in Input) error {
	switch a.Action {
	case Kill, RequestStatus:
		return a.validateSubmission()
	case Submit:
		return a.validateSubmit(in)
	}
	return nil
}

func (a *Arguments) validateSubmission() error {
	if strings.TrimSpace(a.Submission) != "" {
		return nil
	}
	if a.Action == Kill {
		return errors.New("Please specify a submission to kill.")
	}
	return errors.New("Please specify a submission to request status for.")
}

func (a *Arguments) validateSubmit(in Input) error {
	var problems []error
	bad := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	_, remote := a.Get("--remote")
	_, master := a.Get("--master")
	mode, hasMode := a.Get("--deploy-mode")
	_, localConnect := a.Settings.Get("spark.local.connect")
	if remote && (master || hasMode) && !localConnect {
		bad("Remote cannot be specified with master and/or deploy mode.")
	}
	if hasMode && mode.Value != "client" && mode.Value != "cluster" {
		bad("Deploy mode must be either client or cluster, not %q (%s)", mode.Value, mode.From)
	}
	if a.Resource == "" {
		bad("Must specify a primary resource (JAR or Python or R file)")
	}
	for _, size := range []struct{ option, what string }{{"--driver-memory", "Driver memory"}, {"--executor-memory", "Executor memory"}} {
		if s, set := a.Get(size.option); set && !positiveSize(s.Value) {
			bad("%s must be a positive number: %q (%s): want a size such as 512m or 2g", size.what, s.Value, s.From)
		}
	}
	for _, count := range []struct{ option, what string }{
		{"--driver-cores", "Driver cores"},
		{"--executor-cores", "Executor cores"},
		{"--total-executor-cores", "Total executor cores"},
		{"--num-executors", "Number of executors"},
	} {
		if count.option == "--num-executors" && a.dynamicAllocation() {
			continue
		}
		if s, set := a.Get(count.option); set && !positive(s.Value) {
			bad("%s must be a positive number: %q (%s)", count.what, s.Value, s.From)
		}
	}
	if strings.HasPrefix(a.Master(), "yarn") && !strings.HasPrefix(a.Master(), "yarn://") && in.Env["HADOOP_CONF_DIR"] == "" && in.Env["YARN_CONF_DIR"] == "" && !a.namesResourceManager() {
		bad("When running with master '%s' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment%s.", a.Master(),
			map[bool]string{true: ", or --conf " + rmAddress + "=HOST:PORT given"}[a.Kind == Program])
	}
	_, principal := a.Get("--principal")
	if _, proxy := a.Get("--proxy-user"); proxy && principal {
		bad("Only one of --proxy-user or --principal can be provided.")
	}
	return errors.Join(problems...)
}

// rmAddress is the setting that stands in for a file of Hadoop's.
var rmAddress = conf.HadoopPrefix + conf.ResourceManagerAddress.Key()

// namesResourceManager reports whether a Go program finds the ResourceManager without a file of Hadoop's.
func (a *Arguments) namesResourceManager() bool {
	_, set := a.Settings.Get(rmAddress)
	return set && a.Kind == Program
}

func (a *Arguments) dynamicAllocation() bool {
	s, _ := a.Settings.Get(conf.DynamicAllocation.Key())
	return strings.EqualFold(s.Value, "true")
}

// positive reports whether s is a Java int above 0.
func positive(s string) bool {
	n, err := strconv.ParseInt(s, 10, 32)
	return err == nil && n > 0
}

// positiveSize reports whether s is a size above 0; without a unit it counts bytes, as spark-submit has it here.
func positiveSize(s string) bool {
	n, err := conf.ParseBytes(s)
	return err == nil && n > 0
}
