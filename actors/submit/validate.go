//coherer:pure

package submit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/rpcenv/conf"
)

// validate checks what the action needs. It mirrors SparkSubmitArguments.validateArguments, but returns all problems.
func (a *Arguments) validate(in Input) error {
	switch a.Action {
	case Kill, RequestStatus:
		return a.validateSubmission()
	case Submit:
		return a.validateSubmit(in)
	}
	return nil
}

// aboutSubmission are the options that --kill and --status read.
var aboutSubmission = []string{
	"--kill", "--status", "--master", "--conf", "--properties-file", "--extra-properties-file", "--load-spark-defaults", "--output",
}

func (a *Arguments) validateSubmission() error {
	option := map[Action]string{Kill: "--kill", RequestStatus: "--status"}[a.Action]
	for _, o := range options {
		if o.Name != "--dry-run" && a.Has(o.Name) && !slices.Contains(aboutSubmission, o.Name) {
			a.Warnings = append(a.Warnings, fmt.Sprintf("%s is ignored: %s does not read it", o.Name, option))
		}
	}
	if a.Resource != "" {
		a.Warnings = append(a.Warnings, fmt.Sprintf("the application %s is ignored: %s is about a submission that was made", a.CommandLine.Resource, option))
	}
	switch blank := strings.TrimSpace(a.Submission) == ""; {
	case blank && a.Action == Kill:
		return errors.New("Please specify a submission to kill.")
	case blank:
		return errors.New("Please specify a submission to request status for.")
	case a.Has("--dry-run"):
		return fmt.Errorf("--dry-run is for submissions: %s asks the cluster at once; leave one of them out", option)
	case a.Action == Kill && a.text("--output") == "json":
		return errors.New("-o json is for --dry-run, and for --status by REST: leave it out")
	}
	return nil
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
	if form, _ := a.Value("--output"); form == "json" && !a.Has("--dry-run") {
		bad("-o json is for --dry-run, and for --status by REST: leave it out")
	}
	problems = append(problems, CheckAmounts(a.Get, a.dynamicAllocation()))
	// What still begins with yarn:// is malformed, and resourceManager has refused it.
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

// CheckAmounts returns an error for each size and each number that is not above 0, in the words of spark-submit; get finds the
// value of an option. With dynamic allocation an application may begin with no executor.
func CheckAmounts(get func(option string) (conf.Setting, bool), dynamic bool) error {
	var problems []error
	for _, size := range []struct{ option, what string }{{"--driver-memory", "Driver memory"}, {"--executor-memory", "Executor memory"}} {
		if s, set := get(size.option); set && !positiveSize(s.Value) {
			problems = append(problems, fmt.Errorf("%s must be a positive number: %q (%s): want a size such as 512m or 2g", size.what, s.Value, s.From))
		}
	}
	for _, count := range []struct{ option, what string }{
		{"--driver-cores", "Driver cores"},
		{"--executor-cores", "Executor cores"},
		{"--total-executor-cores", "Total executor cores"},
		{"--num-executors", "Number of executors"},
	} {
		if count.option == "--num-executors" && dynamic {
			continue
		}
		if s, set := get(count.option); set && !positive(s.Value) {
			problems = append(problems, fmt.Errorf("%s must be a positive number: %q (%s)", count.what, s.Value, s.From))
		}
	}
	return errors.Join(problems...)
}

// rmAddress is the setting that stands in for a file of Hadoop's.
var rmAddress = conf.HadoopPrefix + rmproxy.ResourceManagerAddress.Key()

// namesResourceManager reports whether a Go program finds the ResourceManager without a file of Hadoop's.
func (a *Arguments) namesResourceManager() bool {
	_, set := a.Settings.Get(rmAddress)
	return set && a.Kind == Program
}

func (a *Arguments) dynamicAllocation() bool {
	s, _ := a.Settings.Get(DynamicAllocation.Key())
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
