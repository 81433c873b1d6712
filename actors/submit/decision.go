//coherer:pure

package submit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Decision is what becomes of a submission: which class or program is started where, with what. It mirrors what
// SparkSubmit.prepareSubmitEnvironment returns.
type Decision struct {
	Manager Manager
	Mode    Mode
	Kind    Kind
	// Master is the master URL as the driver gets it.
	Master string
	// Resource is the application's URI, or its name when it is no file; BuiltIn is that of Arguments.
	Resource string
	BuiltIn  bool
	// MainClass is the class that is started here: the application's own in client mode, one that submits it in cluster mode.
	// For a Go program in client mode it is that of --class, or empty: the program is started itself.
	MainClass string
	// ChildArgs are the arguments of MainClass, or of the program.
	ChildArgs []string
	// ClassPath is what MainClass is loaded from beside Spark's own jars.
	ClassPath []string
	// Properties are the settings that the driver or the submitting class gets.
	Properties conf.Settings
	// Removed are settings that were given and are not passed on, with the reason.
	Removed []Removal
	// Inherits: what is started has the whole environment of this process; else it has Environment.
	Inherits    bool
	Environment []conf.Pair
	// AM is what YARN is asked for; nil elsewhere, and when a setting is malformed.
	AM *AM
	// REST: the submission goes by REST first, and by RPC if no REST server answers.
	REST bool
	// Supervise: a driver in the cluster is started again when it fails.
	Supervise bool
	// Notes say what Spark would do further, and what to mind; Warnings are for the user in any case.
	Notes, Warnings []string
	// NotRun is why coherer does not run this; nil when it does.
	NotRun error
}

// Removal is a setting that is not passed on.
type Removal struct {
	conf.Setting
	Why string
}

// Decide decides what becomes of a submission. Combinations that spark-submit refuses are errors with its words.
func Decide(a *Arguments, in Input) (*Decision, error) {
	b, err := newBuild(a, in)
	if err != nil {
		return nil, err
	}
	// The order is that of prepareSubmitEnvironment: runners needs the main class, assign the lists that runners has added to,
	// jars the settings that assign has made, launch the main class and arguments of runners, environment whether launch chose
	// REST.
	for _, step := range []func() error{b.refuse, b.kubernetesMaster, b.findMain, b.runners} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.assign()
	b.jars()
	b.launch()
	b.environment()
	for _, step := range []func() error{b.finish, b.yarn} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.notRun()
	return &b.Decision, nil
}

// build is a Decision in the making. Its maps of options are its own, so that Arguments stay as they are.
type build struct {
	Decision
	a  *Arguments
	in Input
	// main is the application's main class; resource, files and lists change on the way as in Spark.
	main  string
	args  []string
	lists map[string]conf.Setting // --files, --archives, --jars, --py-files
}

func newBuild(a *Arguments, in Input) (*build, error) {
	b := &build{a: a, in: in, main: a.text("--class"), args: slices.Clone(a.Args), lists: map[string]conf.Setting{}}
	b.Kind, b.Resource, b.BuiltIn, b.Master, b.Warnings = a.Kind, a.Resource, a.BuiltIn, a.Master(), slices.Clone(a.Warnings)
	b.Mode = Client
	if a.Cluster() {
		b.Mode = Cluster
	}
	var err error
	if b.Manager, err = managerOf(b.Master); err != nil {
		return nil, err
	}
	b.Properties.Set(a.Settings.Sorted()...)
	b.hadoop()
	for _, name := range []string{"--files", "--archives", "--jars", "--py-files"} {
		if s, ok := a.Get(name); ok {
			b.lists[name] = s
		}
	}
	supervised, _ := a.Settings.Get(driverSupervise.Key())
	b.Supervise = a.Has("--supervise") || supervised.Value == "true"
	return b, nil
}

// is reports whether the submission is to one of managers in one of modes.
func (b *build) is(managers Manager, modes Mode) bool {
	return b.Manager&managers != 0 && b.Mode&modes != 0
}

func (b *build) python() bool { return b.Kind == Python || b.Resource == pysparkShell }
func (b *build) r() bool      { return b.Kind == R || b.Resource == sparkRShell }

// Classes that run only where they are started.
const (
	sqlShell      = "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver"
	thriftServer  = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
	connectServer = "org.apache.spark.sql.connect.service.SparkConnectServer"
)

// refuse refuses combinations of cluster, mode and application that Spark does not run.
func (b *build) refuse() error {
	switch {
	case b.Mode == Client:
		return nil
	case b.Manager == Standalone && b.python():
		return errors.New("Cluster deploy mode is currently not supported for python applications on standalone clusters.")
	case b.Manager == Standalone && b.r():
		return errors.New("Cluster deploy mode is currently not supported for R applications on standalone clusters.")
	case b.Manager == Local:
		return errors.New(`Cluster deploy mode is not compatible with master "local"`)
	case b.Kind == Shell:
		return errors.New("Cluster deploy mode is not applicable to Spark shells.")
	case b.main == sqlShell:
		return errors.New("Cluster deploy mode is not applicable to Spark SQL shell.")
	case b.main == thriftServer:
		return errors.New("Cluster deploy mode is not applicable to Spark Thrift server.")
	case b.main == connectServer:
		return errors.New("Cluster deploy mode is not applicable to Spark Connect server.")
	}
	return nil
}

func (b *build) kubernetesMaster() error {
	if b.Manager != Kubernetes {
		return nil
	}
	api, err := kubernetesAPI(b.Master)
	b.Master = "k8s://" + api
	return err
}

// findMain finds the main class: --class, else that of the jar's manifest. A Go program needs none.
func (b *build) findMain() error {
	switch {
	case b.main != "" || b.Kind == Program || b.python() || b.r():
		return nil
	case b.Kind != Jar:
		return fmt.Errorf("%s needs the class that is to be started: please specify one with --class.", b.Resource)
	case b.in.JarErr != nil:
		return fmt.Errorf("Failed to get main class in JAR with error '%w'.  Please specify one with --class.", b.in.JarErr)
	case b.in.JarClass == "":
		return errors.New("No main class set in JAR; please specify one with --class.")
	}
	b.main = b.in.JarClass
	return nil
}

// submitInDriver reports whether this is the submission inside a driver's pod.
func (b *build) submitInDriver() bool {
	s, _ := b.Properties.Get(kubernetesSubmitInDriver.Key())
	return b.is(Kubernetes, Client) && s.Value == "true"
}

func (b *build) note(format string, args ...any) {
	b.Notes = append(b.Notes, fmt.Sprintf(format, args...))
}

// set makes a setting that this package decides.
func (b *build) set(key, value string) {
	b.Properties.Set(conf.Setting{Pair: conf.Pair{Key: key, Value: value}, From: decided})
}
