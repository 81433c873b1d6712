package runner

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv/conf"
)

// SubmitToYARN submits an application in cluster mode and waits for its end, unless the settings say otherwise. main is a
// folder with a main package to build first, instead of s.Program. The client's reports go to stdout, what goes wrong to
// stderr; the error is an exit code then. The end of ctx does not end an application that was submitted.
func SubmitToYARN(ctx context.Context, values map[string]string, main string, s yarnclient.Submission, stdout, stderr io.Writer) (err error) {
	if main != "" {
		var dir string
		if dir, err = os.MkdirTemp("", "coherer-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		s.Program = filepath.Join(dir, "program")
		if err := process.BuildMain(ctx, main, s.Program); err != nil {
			return err
		}
	}
	if s.User, err = app.User(); err != nil {
		return err
	}
	s.Files = app.Staging{}
	return AskYARN(ctx, values, yarnclient.Config{Submit: &s}, stdout, stderr)
}

// AskYARN lets a client do what cfg says, at the ResourceManager that the settings name, and waits until that is done.
func AskYARN(ctx context.Context, values map[string]string, cfg yarnclient.Config, stdout, stderr io.Writer) error {
	c, err := conf.New(values, known.All())
	if err != nil {
		return err
	}
	if cfg.ResourceManager, err = rmproxy.Address(c); err != nil {
		return err
	}
	return ask(ctx, c, "Client", yarnclient.Name, yarnclient.New(cfg), stdout, stderr)
}
