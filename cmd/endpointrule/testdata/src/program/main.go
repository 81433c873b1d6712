// Command program defines an endpoint and starts it: only the endpoint is under the rule.
package main

import (
	"fmt"
	"os"
	"time"

	"example.org/rpcenv"
)

type greeter struct{ greeted int }

func (g *greeter) Receive(c *rpcenv.Context, msg any) {
	g.greeted++
	fmt.Println(time.Now()) // want `time\.Now`
}

func main() {
	go new(greeter).Receive(nil, time.Now())
	os.Exit(0)
}
