// Command terasort makes, sorts and checks records of 100 bytes; README.md explains it.
//
//	coherer run ./examples/terasort generate 1000000 /tmp/in
package main

import (
	"context"
	"os"

	"github.com/coherer/coherer/cluster/app"
)

func main() {
	app.Main(func(ctx context.Context, a *app.App, args []string) error { return Run(ctx, a, args, os.Stdout) })
}
