package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/transport"
)

// driverAskTimeout is how long Spark's client waits for a Master's answer, unless spark.rpc.askTimeout says otherwise.
const driverAskTimeout = "10s"

// CallMasters submits a driver in cluster mode, ends one, or asks how it fares, and waits until that is known. What the
// Masters say goes to stdout, what goes wrong to stderr; the error is an exit code then.
func CallMasters(ctx context.Context, values map[string]string, cfg driverclient.Config, stdout, stderr io.Writer) (err error) {
	values = maps.Clone(values)
	if values == nil {
		values = map[string]string{}
	}
	if values[conf.RPCAskTimeout.Key()] == "" {
		values[conf.RPCAskTimeout.Key()] = driverAskTimeout
	}
	c, err := conf.New(values)
	if err != nil {
		return err
	}
	ended := make(chan int, 1)
	host := transport.New(transport.Options{Recorder: trace.NewRecorder(0), ExitFunc: func(code int) { ended <- code }})
	defer func() { err = errors.Join(err, host.Close()) }()
	log := logrus.New()
	log.SetOutput(io.Discard)
	log.AddHook(lines{stdout, stderr})
	env, err := rpcenv.New(host, rpcenv.Config{Name: "driverClient", Conf: c, Log: logrus.NewEntry(log)})
	if err != nil {
		return err
	}
	defer env.Close()
	if _, err := env.Register(driverclient.Name, driverclient.New(cfg)); err != nil {
		return err
	}
	select {
	case code := <-ended:
		if code != 0 {
			return &node.ExitError{Code: code}
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// lines writes what a client logs as the answer to a command.
type lines struct{ stdout, stderr io.Writer }

func (lines) Levels() []logrus.Level { return logrus.AllLevels }

func (l lines) Fire(e *logrus.Entry) error {
	to, prefix := l.stdout, ""
	switch {
	case e.Data["endpoint"] != driverclient.Name: // the runtime's own
		return nil
	case e.Level <= logrus.ErrorLevel:
		to, prefix = l.stderr, "error: "
	case e.Level == logrus.WarnLevel:
		to, prefix = l.stderr, "warning: "
	}
	text := prefix + e.Message
	if err := e.Data[logrus.ErrorKey]; err != nil {
		text += fmt.Sprintf(": %v", err)
	}
	_, err := fmt.Fprintln(to, text)
	return err
}
