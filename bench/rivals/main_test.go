package main

import (
	"testing"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/bench/rivals/rivalstest"
)

func TestCases(t *testing.T) { rivalstest.Cases(t, rivals...) }

func TestExtras(t *testing.T) { rivalstest.Extras(t, rivals...) }

func TestDeep(t *testing.T) {
	for _, rival := range rivals {
		for _, c := range []measure.Case{measure.LocalTell, measure.LocalAsk, measure.RemoteTell, measure.RemoteAsk} {
			// protoactor's remote writes all that waits as one message of gRPC, which takes 4 MiB: it loses these.
			lost := rival == measure.Contender(protoactor{}) && c.Remote()
			if measure.NameOf(rival).Does(c) && !lost {
				rivalstest.Deep(t, rival, c)
			}
		}
	}
}
