package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv/program"
)

// Launch makes this process an executor, in its work directory: it asks the driver for its settings, and goes on as an
// executor of this very program if the application's has the same digest; else it fetches that program from the driver and
// becomes it, with the same process number and output. It returns only when that failed.
func Launch(ctx context.Context, args []string) error {
	signal.Reset(syscall.SIGTERM, syscall.SIGINT) // until there is something to save, a Worker's kill just ends it
	settings, err := app.FetchSettings(ctx, args)
	if err != nil {
		return err
	}
	x := app.Execution{Args: args, Settings: settings}
	digest, _, err := program.Self()
	if err != nil {
		return err
	}
	wanted := settings[known.AppBinary.Key()]
	if wanted == "" || wanted == digest {
		return app.Execute(x)
	}
	// The other program does not ask the driver again: the settings go with it, in a variable.
	path, err := fetchProgram(ctx, args, wanted)
	if err != nil {
		return fmt.Errorf("the application's program: %w", err)
	}
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	if err := os.Setenv(app.ExecutorVar, string(text)); err != nil {
		return err
	}
	return process.Exec(path, nil)
}

// fetchProgram brings the program of a digest into the application's directory, above the executor's, where the other
// executors of the application find it. Two that fetch at once do not harm each other.
func fetchProgram(ctx context.Context, args []string, digest string) (string, error) {
	if len(digest) != 64 || filepath.Base(digest) != digest {
		return "", fmt.Errorf("its digest %q is no SHA-256", digest)
	}
	dir, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, digest)
	if process.CheckBinary(path) == nil { // whole, since it got this name by a rename
		return path, nil
	}
	f, err := os.CreateTemp(dir, "program-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name()) // no longer there after the rename
	if err := errors.Join(app.FetchProgram(ctx, args, digest, f), f.Chmod(0o700), f.Close()); err != nil {
		return "", err
	}
	switch got, err := program.Digest(f.Name()); {
	case err != nil:
		return "", err
	case got != digest:
		return "", fmt.Errorf("the driver sent a file of digest %s instead of %s", got, digest)
	}
	if err := process.CheckBinary(f.Name()); err != nil {
		return "", err
	}
	return path, os.Rename(f.Name(), path)
}
