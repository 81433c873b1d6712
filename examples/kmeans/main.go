// Command kmeans prints the centres of clusters of points; README.md explains it.
//
//	coherer run ./examples/kmeans examples/kmeans/testdata/points.txt 3
package main

import (
	"context"
	"os"

	"github.com/coherer/coherer/cluster/app"
)

func main() {
	app.Main(func(ctx context.Context, a *app.App, args []string) error { return Run(ctx, a, args, os.Stdout) })
}
