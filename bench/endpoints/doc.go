// Package endpoints are the endpoints of the trials of Coherer itself: what a user would write, and nothing else.
package endpoints

import (
	"strconv"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/rpcenv"
)

// The names of the endpoints at both sides; with several pairs those after the first have a number.
const (
	SinkName   = "Sink"
	SourceName = "Source"
)

// numbered is a name with the number of a pair.
func numbered(name string, pair int) string {
	if pair == 0 {
		return name
	}
	return name + strconv.Itoa(pair)
}

// SinkOf is the name of a receiver. Those of FanOut have an Env each, and so one name.
func SinkOf(spec *measure.Spec, receiver int) string {
	if spec.Case == measure.FanOut {
		receiver = 0
	}
	return numbered(SinkName, receiver)
}

// SourceOf is the name of a pair's sender. That of FanOut has all pairs.
func SourceOf(spec *measure.Spec, pair int) string {
	if spec.Case == measure.FanOut {
		pair = 0
	}
	return numbered(SourceName, pair)
}

// Tick reminds a Teller or an Asker that a message of a pair may be due.
type Tick struct {
	rpcenv.LocalUntraced
	Pair int
}
