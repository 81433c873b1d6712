// Command sidefile counts the words that stand in a file of --files, and has its tasks read another one from an archive.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
)

func read(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(text))
}

var sides = rdd.Define("sides", func(n int) rdd.Dataset[string] {
	return rdd.Map(rdd.Range(0, int64(n), n), func(i int64) string {
		return fmt.Sprintf("%d %s %s", i, read(app.FilePath("a.txt")), read(filepath.Join(app.FilePath("packed"), "in", "b.txt")))
	})
})

func main() {
	app.Main(func(ctx context.Context, a *app.App, _ []string) error {
		lines, err := rdd.Collect(ctx, a, sides.With(4))
		if err != nil {
			return err
		}
		fmt.Println(strings.Join(lines, "\n"))
		fmt.Println("driver", read(app.FilePath("a.txt")))
		return nil
	})
}
