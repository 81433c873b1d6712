package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/coherer/coherer/actors/rdd"
)

// squares are the last digits of the squares of numbers by a table that is broadcast, in as many tasks as there are numbers. The table is of
// bytes, which gob encodes alike in every process: the numbers of other types depend on what was encoded before.
var squares = rdd.Define("shared squares", func(a struct {
	Table rdd.Broadcast[[]byte]
	Tasks int
},
) rdd.Dataset[int64] {
	return rdd.Map(rdd.Range(0, int64(a.Tasks), a.Tasks), func(x int64) int64 { return int64(a.Table.Value()[x]) })
})

// Shared broadcasts a table of the last digits of so many squares and looks up the first of them, one in a task; once more after Unpersist;
// and after Destroy it shows the error. It is for Worlds, and not among Programs.
func Shared(ctx context.Context, a rdd.Runner, args []string, out io.Writer) error {
	if len(args) != 2 {
		return errors.New("shared wants two numbers: shared SQUARES TASKS")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	tasks, err := strconv.Atoi(args[1])
	if err != nil || tasks < 1 || tasks > n {
		return fmt.Errorf("%s tasks: want at least one, and at most one for each square", args[1])
	}
	table := make([]byte, n)
	for i := range table {
		table[i] = byte(i * i % 10)
	}
	shared, err := rdd.NewBroadcast(ctx, a, table)
	if err != nil {
		return err
	}
	job := squares.With(struct {
		Table rdd.Broadcast[[]byte]
		Tasks int
	}{shared, tasks})
	first, err := rdd.Collect(ctx, a, job)
	if err != nil {
		return err
	}
	if err := shared.Unpersist(ctx); err != nil {
		return err
	}
	again, err := rdd.Collect(ctx, a, job)
	if err != nil {
		return err
	}
	if err := shared.Destroy(ctx); err != nil {
		return err
	}
	_, err = rdd.Collect(ctx, a, job)
	_, err = fmt.Fprintf(out, "%d, again %d\n%v\n", first, again, err)
	return err
}
