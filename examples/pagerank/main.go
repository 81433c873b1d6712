// Command pagerank prints the pages of the highest rank; README.md explains it.
//
//	coherer run ./examples/pagerank examples/pagerank/testdata/links.txt
package main

import (
	"context"
	"os"

	"github.com/coherer/coherer/cluster/app"
)

func main() {
	app.Main(func(ctx context.Context, a *app.App, args []string) error { return Run(ctx, a, args, os.Stdout) })
}
