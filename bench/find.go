package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/coherer/coherer/cluster/process"
)

// NoRivals leaves the rivals of other programs out.
const NoRivals = "none"

// rivalsModule is the module of the program that brings the rivals, and where it is in the source tree.
const (
	rivalsModule = "github.com/coherer/coherer/bench/rivals"
	rivalsFolder = "bench/rivals"
)

// findRivals returns the program of the rivals: the file that is named, or one that it builds into dir from the source tree.
func findRivals(ctx context.Context, file, dir string, progress io.Writer) (program, error) {
	if file != "" {
		return program{path: file}, process.CheckBinary(file)
	}
	folder, err := rivalsSource()
	if err != nil {
		return program{}, err
	}
	if progress != nil {
		fmt.Fprintf(progress, "building %s; the first time takes minutes\n", rivalsFolder)
	}
	p := program{path: filepath.Join(dir, "rivals")}
	return p, process.BuildMain(ctx, folder, p.path)
}

// rivalsSource is the folder of the program in the source tree that the working directory is in.
func rivalsSource() (string, error) {
	at, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		folder := filepath.Join(at, rivalsFolder)
		mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		switch {
		// By the name of the module: another tree may have a folder bench/rivals of its own.
		case err == nil && strings.HasPrefix(string(mod), "module "+rivalsModule+"\n"):
			return folder, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
		if parent := filepath.Dir(at); parent != at {
			at = parent
			continue
		}
		return "", fmt.Errorf("its program is not here: name it with --rivals, or work in the source tree, where %s is built", rivalsFolder)
	}
}
