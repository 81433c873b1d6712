// Command rivals is the contenders of the bench that come from other projects: protoactor, gRPC and NATS. `coherer bench` starts it and
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

// rivals are the contenders, in the order of the report. Each has a file of its own, which says how it is set up and why.
var rivals = []measure.Contender{protoactor{}, grpcStream{}, natsCore{}}

func main() {
	if err := measure.Speak(context.Background(), os.Stdin, os.Stdout, rivals...); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
