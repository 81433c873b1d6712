package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/coherer/coherer/actors/rdd"
)

// Twice counts words by two jobs of one dataset, with a pause between: twice PAUSE WORD... The second one finds the map outputs of the
// first. It is for Worlds, and not among Programs.
func Twice(ctx context.Context, a rdd.Runner, args []string, out io.Writer) error {
	if len(args) < 2 {
		return errors.New("twice wants a pause and words to count: twice PAUSE WORD...")
	}
	between, err := time.ParseDuration(args[0])
	if err != nil {
		return fmt.Errorf("twice: %w", err)
	}
	first, err := rdd.Count(ctx, a, words.With(args[1:]))
	if err != nil {
		return err
	}
	if err := pause(ctx, a, between); err != nil {
		return err
	}
	second, err := rdd.Count(ctx, a, words.With(args[1:]))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d words, then %d\n", first, second)
	return err
}
