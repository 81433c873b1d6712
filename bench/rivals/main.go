// Command rivals is the contenders of the bench that come from other projects: protoactor. `coherer bench` starts it and
// commands it by the control lines that package bench describes.
//
// It is a module of its own, since users of Coherer should not inherit what the rivals need, and it takes the measuring, the
// message and the control from the tree that it stands in, so that all contenders count alike.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/coherer/coherer/bench/measure"
)

func main() {
	if err := measure.Speak(context.Background(), os.Stdin, os.Stdout, protoactor{}); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
