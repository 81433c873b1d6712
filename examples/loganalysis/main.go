// Command loganalysis joins the log of a web server with a table of hosts; README.md explains it.
//
//	coherer run ./examples/loganalysis LOG HOSTS
package main

import (
	"context"
	"os"

	"github.com/coherer/coherer/cluster/app"
)

func main() {
	app.Main(func(ctx context.Context, a *app.App, args []string) error { return Run(ctx, a, args, os.Stdout) })
}
