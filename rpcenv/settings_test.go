package rpcenv_test

import (
	"errors"
	"testing"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/sim"
)

// A program that checks its own settings alone does not know the runtime's.
func TestAnEnvChecksTheRuntimesSettings(t *testing.T) {
	w := sim.New(1, 0)
	defer w.Close()
	c, err := conf.New(map[string]string{"spark.rpc.askTimeout": "soon"}, conf.NewSet())
	if err != nil {
		t.Fatal(err)
	}
	_, err = rpcenv.New(w.Host("A", "10.0.0.1"), rpcenv.Config{Name: "A", Conf: c})
	var bad *conf.ValueError
	if !errors.As(err, &bad) || bad.Key != "spark.rpc.askTimeout" {
		t.Errorf("%v", err)
	}
}
