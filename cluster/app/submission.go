package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/coherer/coherer/rpcenv/joined"
)

// The environment variables that make a process what it is.
const (
	// SubmissionVar makes a program the driver of an application: a Submission as JSON.
	SubmissionVar = "COHERER_SUBMISSION"
	// ExecutorVar makes a program an executor: an Execution as JSON.
	ExecutorVar = "COHERER_EXECUTOR"
	// WorkerVar has the URL of the Worker that runs a driver in cluster mode; the driver ends with it.
	WorkerVar = "COHERER_WORKER_URL"
)

// Submission is what a driver gets from the program that submits it.
type Submission struct {
	// Name is the application's name; empty: spark.app.name, else the program's.
	Name string `json:"name,omitempty"`
	// Conf are the settings; spark.master among them.
	Conf map[string]string `json:"conf"`
	// Trace is the file that the driver's trace goes to; empty: none.
	Trace string `json:"trace,omitempty"`
	// Library is the path of coherer's own program, which on YARN is the application master of a driver in client mode.
	Library string `json:"library,omitempty"`
	// ConfDir is the submitter's directory of settings, where the driver finds fairscheduler.xml; "": none.
	ConfDir string `json:"confDir,omitempty"`
	// Warned says that the submitter has shown the warnings of Conf where the driver's are shown.
	Warned bool `json:"warned,omitempty"`
	// Watched says that the submitter reports why it ended the driver: the driver does not report that a signal ended it.
	Watched bool `json:"watched,omitempty"`
	// Progress asks for a line about the stages on stderr.
	Progress bool `json:"progress,omitempty"`
}

// own is what the driver reports of an error: of a watched one all but that a signal ended it.
func (s *Submission) own(err error) error {
	if !s.Watched {
		return err
	}
	return errors.Join(slices.DeleteFunc(joined.Errors(err), func(e error) bool { return errors.Is(e, errInterrupted) })...)
}

// Execution is what an executor's program gets from the launcher that ran in its process before.
type Execution struct {
	Args     []string          `json:"args"`
	Settings map[string]string `json:"settings"`
}

// fromEnv reads a variable as JSON; false: it is not set. The variable is taken away, so that children do not inherit it.
func fromEnv(name string, to any) (bool, error) {
	text, ok := os.LookupEnv(name)
	if !ok {
		return false, nil
	}
	if err := os.Unsetenv(name); err != nil {
		return true, err
	}
	if err := json.Unmarshal([]byte(text), to); err != nil {
		return true, fmt.Errorf("the variable %s: %w: it is set by coherer for the programs that it starts; unset it", name, err)
	}
	return true, nil
}
