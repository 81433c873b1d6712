package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/bench/measure"
)

// The first arguments that make the test's own program something else than a test.
const (
	contender = "contender" // one of the bench's processes
	dies      = "dies"      // says hello, and dies at the first command
	mute      = "mute"      // dies at once
	deaf      = "deaf"      // one of the bench's processes, of which coherer has no receiving side
)

// unheard is coherer without a receiving side.
type unheard struct{ coherer }

func (unheard) Serve(*measure.Spec, []*measure.Sink) (string, func(), error) {
	return "", nil, errors.New("deaf today")
}

func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case contender:
			if err := Speak(context.Background(), os.Stdin, os.Stdout); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		case deaf:
			if err := measure.Speak(context.Background(), os.Stdin, os.Stdout, unheard{}); err != nil {
				os.Exit(1)
			}
			return
		case dies:
			fmt.Printf(`{"hello":{"contenders":[{"name":"mortal"}],"gomaxprocs":%s}}`+"\n", os.Getenv("GOMAXPROCS"))
			_, _ = os.Stdin.Read(make([]byte, 1))
			fmt.Fprintln(os.Stderr, "alas, a command")
			os.Exit(7)
		case mute:
			fmt.Fprintln(os.Stderr, "not a word")
			os.Exit(3)
		}
	}
	goleak.VerifyTestMain(m)
}
