package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand() *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use: "version", GroupID: "look", Short: "Print the version of this program",
		Example: "  coherer version -o json",
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := out.json()
			if err != nil {
				return usage(cmd, err)
			}
			return printVersion(asJSON)
		},
	}
	out.flags(cmd.Flags())
	return cmd
}

// printVersion prints the version of this program.
func printVersion(asJSON bool) error {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]string{
			"version": version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
		})
	}
	_, err := fmt.Fprintf(os.Stdout, "coherer %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
