package driverclient

import (
	"errors"
	"slices"

	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// Config is what a client is to do: exactly one of Launch, Kill and Status.
type Config struct {
	// Masters are all of the cluster.
	Masters []rpcenv.Address
	// Launch is a driver to submit.
	Launch *deploy.DriverDescription
	// Kill is the id of a driver to end.
	Kill string
	// Status is the id of a driver whose state is asked for.
	Status string
}

// Validate reports all that is wrong with c.
func (c *Config) Validate() error {
	var errs []error
	if len(c.Masters) == 0 {
		errs = append(errs, errors.New("a submission needs a Master: name one as spark://HOST:PORT"))
	}
	n := 0
	for _, wanted := range []bool{c.Launch != nil, c.Kill != "", c.Status != ""} {
		if wanted {
			n++
		}
	}
	if n != 1 {
		errs = append(errs, errors.New("want one of: a driver to submit, one to kill, one to ask for"))
	}
	return errors.Join(errs...)
}

// Driver is a driver in cluster mode as its user thinks of it.
type Driver struct {
	// Program is where its program is: a path that every Worker sees, an http or https address, or spark-internal for the
	// applications that the Workers' own program has.
	Program string
	// MainClass names the application.
	MainClass string
	// Args are the program's.
	Args []string
	// Env holds the variables of its process.
	Env map[string]string
	// Cores and MemoryMB that the Worker sets aside for it.
	Cores, MemoryMB int
	// Supervise starts it again when it fails, or when its Worker is lost.
	Supervise bool
	// Resources that it wants besides.
	Resources []*deploy.ResourceRequirement
}

// SparkInternal is Spark's name for a program that needs no file, because all nodes have it.
const SparkInternal = "spark-internal"

// WrapperArgs is how many arguments of the command come before the program's own.
const WrapperArgs = 3

// Describe is the driver as a Master takes it. It mirrors the description that ClientEndpoint.onStart makes.
func (d Driver) Describe() *deploy.DriverDescription {
	command := &deploy.Command{
		MainClass: worker.DriverClass,
		Arguments: append([]string{"{{WORKER_URL}}", "{{USER_JAR}}", d.MainClass}, d.Args...),
	}
	for name, value := range d.Env {
		command.Environment = append(command.Environment, &deploy.EnvironmentVariable{Name: name, Value: value})
	}
	// A map has no order: sorted, the same driver is the same message each time.
	slices.SortFunc(command.Environment, func(a, b *deploy.EnvironmentVariable) int {
		return slices.Compare([]byte(a.GetName()), []byte(b.GetName()))
	})
	return &deploy.DriverDescription{
		JarUrl: d.Program, Mem: int32(d.MemoryMB), Cores: int32(d.Cores), Supervise: d.Supervise, Command: command, ResourceReqs: d.Resources,
	}
}
