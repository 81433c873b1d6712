package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/coherer/coherer/actors/rdd"
)

// Again counts the words that it is given, pauses, and counts them once more: the second job needs the map outputs of the first. It is for
// Worlds, and not among Programs.
func Again(ctx context.Context, a rdd.Runner, args []string, out io.Writer) error {
	if len(args) < 2 {
		return errors.New("again wants a pause and words to count: again PAUSE WORD...")
	}
	wait, err := time.ParseDuration(args[0])
	if err != nil {
		return fmt.Errorf("again: %w", err)
	}
	counted := words.With(args[1:])
	before, err := rdd.Count(ctx, a, counted)
	if err != nil {
		return err
	}
	if err := pause(ctx, a, wait); err != nil {
		return fmt.Errorf("again: between its jobs: %w", err)
	}
	after, err := rdd.Count(ctx, a, counted)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d words, %d again\n", before, after)
	return err
}
