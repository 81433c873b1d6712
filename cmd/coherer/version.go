package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

type versionOptions struct{ output }

func versionCommand(s streams) *cobra.Command {
	return newCommand(s, &versionOptions{}, &cobra.Command{
		Use: "version", GroupID: "look", Short: "Print the version of this program",
		Example: "  coherer version -o json",
		Args:    arguments(0, 0),
	})
}

func (o *versionOptions) run(_ context.Context, s streams, _ []string) error {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	if o.asJSON {
		return s.json(map[string]string{"version": version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
	}
	_, err := fmt.Fprintf(s.out, "coherer %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
