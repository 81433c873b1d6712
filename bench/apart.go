package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/coherer/coherer/cluster/process"
)

// apartFolder, below rivalsFolder, has the programs of rivals that need a module of their own.
const apartFolder = "_apart"

// apart is a rival whose library the tree does not require, since not every registry serves it. Its program is built only if it is
// named, in a module made for it: the go command asks a registry for the library.
type apart struct {
	name            string // of the contender and of its folder
	module, version string
}

var aparts = []apart{
	{"ergo", "ergo.services/ergo", "v1.999.310"},
}

func (a apart) source() source {
	return source{name: a.name, alone: true, onDemand: true, find: a.build}
}

// build makes the module below dir and builds its program.
func (a apart) build(ctx context.Context, dir string, progress io.Writer) (program, error) {
	rivals, err := rivalsSource()
	if err != nil {
		return program{}, err
	}
	if progress != nil {
		fmt.Fprintf(progress, "building %s with %s %s\n", a.name, a.module, a.version)
	}
	module := filepath.Join(dir, a.name)
	if err := a.write(module, rivals); err != nil {
		return program{}, err
	}
	if err := tidy(ctx, module); err != nil {
		return program{}, fmt.Errorf("%s %s: %w", a.module, a.version, err)
	}
	p := program{path: filepath.Join(module, a.name)}
	return p, process.BuildMain(ctx, module, p.path)
}

// write writes the module: a copy of the program, and what it requires.
func (a apart) write(module, rivals string) error {
	if err := os.CopyFS(module, os.DirFS(filepath.Join(rivals, apartFolder, a.name))); err != nil {
		return err
	}
	main := strings.TrimSuffix(rivalsModule, "/"+rivalsFolder)
	text := fmt.Sprintf("module %s/%s\n\ngo 1.26\n\nrequire (\n\t%s %s\n\t%s v0.0.0\n)\n\nreplace %s => %q\n",
		rivalsModule, a.name, a.module, a.version, main, main, strings.TrimSuffix(rivals, rivalsFolder))
	return os.WriteFile(filepath.Join(module, "go.mod"), []byte(text), 0o600)
}

// tidyQuote bounds what an error quotes of the go command.
const tidyQuote = 500

// tidy completes the module's requirements.
func tidy(ctx context.Context, module string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "tidy")
	cmd.Dir = module
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &failed):
		said := strings.Join(strings.Fields(string(out)), " ")
		return fmt.Errorf("go mod tidy: %s", said[max(0, len(said)-tidyQuote):]) // the end, where the error is
	}
	return err
}
