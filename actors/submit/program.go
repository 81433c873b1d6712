//coherer:pure

package submit

import (
	"fmt"
	"strings"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// What a Go program on YARN is called in a container. AppFile is the application's program, in cluster mode that of the
// application master and driver; LibraryFile is coherer's own, which in client mode is the application master.
const (
	AppFile     = "__app__.jar"
	LibraryFile = "__spark_libs__/coherer"
)

// The words that make a program the application master of each mode, or an executor: its first argument.
const (
	ApplicationMasterWord = "applicationmaster"
	ExecutorLauncherWord  = "executorlauncher"
	ExecutorWord          = "executor"
)

// ProgramCommand is the command of the application master's container of a Go program. In cluster mode class is the
// program's name, jar where it came from, empty for a built-in one, and args are the application's; in client mode the only
// argument is the driver's HOST:PORT.
func ProgramCommand(mode Mode, class, jar string, args []string) string {
	words := []string{"{{PWD}}/" + AppFile, ApplicationMasterWord}
	if mode == Client {
		words = []string{"{{PWD}}/" + LibraryFile, ExecutorLauncherWord}
	}
	if class != "" {
		words = append(words, "--class", escapeForShell(class))
	}
	if jar != "" {
		words = append(words, "--jar", escapeForShell(jar))
	}
	for _, arg := range args {
		words = append(words, "--arg", escapeForShell(arg))
	}
	return strings.Join(append(words, amFiles...), " ")
}

// jar is where the application's program comes from; empty for a built-in one.
func (b *build) jar() string {
	if b.BuiltIn {
		return ""
	}
	return b.Resource
}

// hadoop makes settings of a Go program of what yarn-site.xml says: neither the program nor its application master reads that
// file.
func (b *build) hadoop() {
	if b.Kind != Program || b.Manager != YARN {
		return
	}
	for _, s := range b.in.Hadoop {
		// Not those of HDFS, which nothing here reads.
		if strings.HasPrefix(s.Key, "yarn.") || strings.HasPrefix(s.Key, "hadoop.") {
			s.Key = conf.HadoopPrefix + s.Key
			b.Properties.SetMissing(s)
		}
	}
}

// yarnProblem is what is wrong with a submission of a Go program to YARN; nil for nothing.
func (b *build) yarnProblem() error {
	c, err := b.Properties.Conf(Settings, rmproxy.Settings, rpcenv.Settings)
	if err != nil {
		return nil //nolint:nilerror // the user of the Decision checks its settings
	}
	if _, err := rmproxy.Address(c); err != nil {
		return err
	}
	if _, local := FilePath(b.a.CommandLine.Resource); !local {
		return fmt.Errorf("%s: it is copied from here: fetch the program and name its file", b.Resource)
	}
	return nil
}
