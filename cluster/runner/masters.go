package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/cluster/boot"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/oneline"
)

// driverAskTimeout is how long Spark's client waits for a Master's answer, unless spark.rpc.askTimeout says otherwise.
const driverAskTimeout = "10s"

// CallMasters submits a driver in cluster mode, ends one, or asks how it fares, and waits until that is known. What the
// Masters say goes to stdout, what goes wrong to stderr; the error is an exit code then.
func CallMasters(ctx context.Context, values map[string]string, cfg driverclient.Config, stdout, stderr io.Writer) error {
	values = maps.Clone(values)
	if values == nil {
		values = map[string]string{}
	}
	if values[rpcenv.RPCAskTimeout.Key()] == "" {
		values[rpcenv.RPCAskTimeout.Key()] = driverAskTimeout
	}
	c, err := conf.New(values, known.All())
	if err != nil {
		return err
	}
	return ask(ctx, c, "driverClient", driverclient.Name, driverclient.New(cfg), stdout, stderr)
}

// ask runs an endpoint in an Env of its own, called as, until it ends the process: the error is the exit code then.
func ask(ctx context.Context, c *conf.Conf, as, name string, client rpcenv.Endpoint, stdout, stderr io.Writer) (err error) {
	rec, err := boot.RecordAs(as, c)
	if err != nil {
		return err
	}
	// The client's log lines are the command's output, without time and level.
	log := logrus.New()
	log.SetOutput(io.Discard)
	log.AddHook(lines{name, stdout, stderr})
	p, err := boot.Open(
		boot.Options{Recorder: rec, Warn: log.WithField("endpoint", name).Warn}, rpcenv.Config{Name: as, Conf: c, Log: logrus.NewEntry(log)},
	)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if _, err := p.Env.Register(name, client); err != nil {
		return err
	}
	select {
	case code := <-p.Exits():
		if code != 0 {
			return &node.ExitError{Code: code}
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// lines writes the log lines of a client, the endpoint of that name, as the answer to a command.
type lines struct {
	endpoint       string
	stdout, stderr io.Writer
}

func (lines) Levels() []logrus.Level { return logrus.AllLevels }

func (l lines) Fire(e *logrus.Entry) error {
	to, prefix := l.stdout, ""
	switch {
	case e.Data["endpoint"] != l.endpoint: // the runtime's own
		return nil
	case e.Level <= logrus.ErrorLevel:
		to, prefix = l.stderr, "error: "
	case e.Level == logrus.WarnLevel:
		to, prefix = l.stderr, "warning: "
	}
	text := prefix + e.Message
	if err := e.Data[logrus.ErrorKey]; err != nil {
		text = fmt.Sprintf("%s: %v", strings.TrimSuffix(text, "."), err)
	}
	_, err := fmt.Fprintln(to, oneline.Text(text))
	return err
}
