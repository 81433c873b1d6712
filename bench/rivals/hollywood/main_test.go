package main

import (
	"testing"

	"github.com/coherer/coherer/bench/rivals/rivalstest"
)

func TestCases(t *testing.T) { rivalstest.Cases(t, hollywood{}) }

func TestDeep(t *testing.T) {
	for _, c := range (hollywood{}).Cases() {
		if c.Windowed() {
			rivalstest.Deep(t, hollywood{}, c)
		}
	}
}
