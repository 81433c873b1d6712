package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/bench/spark"
	"github.com/coherer/coherer/cluster/process"
)

// NoRivals leaves the rivals of other programs out.
const NoRivals = "none"

// rivalsModule is the module of the program that brings the rivals, and where it is in the source tree.
const (
	rivalsModule = "github.com/coherer/coherer/bench/rivals"
	rivalsFolder = "bench/rivals"
)

// source is a program of rivals: its name, for as long as its hello has not named its contenders, and where it comes from.
type source struct {
	name string
	// alone: the program has one contender, of this name. It is left out where that one is not wanted.
	alone bool
	// onDemand: it is built only if its name is in Options.Contenders.
	onDemand bool
	find     func(ctx context.Context, dir string, progress io.Writer) (program, error)
}

// sources are the programs of rivals that Options.Rivals names: the file; or those of the source tree
// and that of Spark, which are built into dir.
func sources(rivals string) []source {
	if rivals != "" {
		return []source{{name: rivals, find: func(context.Context, string, io.Writer) (program, error) {
			return program{path: rivals}, process.CheckBinary(rivals)
		}}}
	}
	all := []source{
		{name: rivalsFolder, find: built{""}.find},
		{name: "hollywood", alone: true, find: built{"hollywood"}.find},
		{name: sparkName, alone: true, find: buildSpark},
	}
	for _, a := range aparts {
		all = append(all, a.source())
	}
	return all
}

// builtNames are the contenders of the programs that sources finds when no file is named.
var builtNames = []string{"protoactor", "grpc", "nats", "hollywood", sparkName, "ergo"}

// known are the names of all contenders that there can be; nil for a program of rivals that says so itself.
func (o *Options) known() []string {
	if o.Rivals != "" && o.Rivals != NoRivals {
		return nil
	}
	var names []string
	for _, c := range own {
		names = append(names, c.Name())
	}
	return append(names, builtNames...)
}

// sparkName is the contender that is Spark's own.
const sparkName = "spark"

func buildSpark(ctx context.Context, dir string, _ io.Writer) (program, error) {
	java, args, err := spark.Build(ctx, dir)
	return program{java, args}, err
}

// onlyOwn reports whether no program of rivals is wanted.
func (o *Options) onlyOwn() bool {
	if o.Rivals == NoRivals {
		return true
	}
	isOwn := func(name string) bool {
		return slices.ContainsFunc(own, func(c measure.Contender) bool { return c.Name() == name })
	}
	return len(o.Contenders) > 0 && !slices.ContainsFunc(o.Contenders, func(name string) bool { return !isOwn(name) })
}

// built is a program of the source tree, by its folder below rivalsFolder.
type built struct{ folder string }

// find builds it.
func (b built) find(ctx context.Context, dir string, progress io.Writer) (program, error) {
	folder, err := rivalsSource()
	if err != nil {
		return program{}, err
	}
	if progress != nil {
		fmt.Fprintf(progress, "building %s; the first time takes minutes\n", path.Join(rivalsFolder, b.folder))
	}
	p := program{path: filepath.Join(dir, "rivals-"+b.folder)}
	return p, process.BuildMain(ctx, filepath.Join(folder, b.folder), p.path)
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
