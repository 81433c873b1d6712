// Command wordcount prints the ten most frequent words of a file.
//
//	coherer run ./examples/wordcount README.md
package main

import (
	"context"
	"os"

	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/examples/wordcount/job"
)

func main() {
	app.Main(func(ctx context.Context, a *app.App, args []string) error { return job.Run(ctx, a, args, os.Stdout) })
}
