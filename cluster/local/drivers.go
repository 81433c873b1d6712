package local

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/builtin"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// ClusterDriver is the driver of a built-in program, for a driverclient: name is what its process will be called. The
// settings are the program's; spark.master is among them.
func ClusterDriver(name, program string, args []string, settings map[string]string) (driverclient.Driver, error) {
	if _, ok := builtin.Programs[program]; !ok {
		return driverclient.Driver{}, fmt.Errorf("no program is called %s", program)
	}
	text, err := json.Marshal(app.Submission{Name: name, Conf: settings})
	return driverclient.Driver{
		Program: driverclient.SparkInternal, MainClass: program, Args: append([]string{"driver", program}, args...),
		Env: map[string]string{app.SubmissionVar: string(text)}, Cores: 1, MemoryMB: 512,
	}, err
}

// submissionOf is the submission in a driver's command.
func submissionOf(cmd rpcenv.Command) (s app.Submission, err error) {
	for _, entry := range cmd.Env {
		if text, ok := strings.CutPrefix(entry, app.SubmissionVar+"="); ok {
			err = json.Unmarshal([]byte(text), &s)
		}
	}
	return s, err
}

func driverName(cmd rpcenv.Command) string {
	if s, err := submissionOf(cmd); err == nil && s.Name != "" {
		return s.Name
	}
	return "Driver?"
}

// startDriver is a driver in cluster mode, with a process of its own in the World: it ends with its Worker.
func startDriver(h rpcenv.Host, cmd rpcenv.Command, w World) error {
	s, err := submissionOf(cmd)
	if err != nil {
		return err
	}
	if len(cmd.Args) < driverclient.WrapperArgs+2 {
		return fmt.Errorf("the arguments %q name no built-in program", cmd.Args)
	}
	args := cmd.Args[driverclient.WrapperArgs+1:] // behind the word driver
	program, ok := builtin.Programs[args[0]]
	if !ok {
		return fmt.Errorf("no program is called %s", args[0])
	}
	c, err := conf.New(s.Conf, known.All())
	if err != nil {
		return err
	}
	masters, err := rpcenv.ParseMasterURL(submit.MasterURL.Get(c))
	if err != nil {
		return err
	}
	at, _, err := rpcenv.ParseURI(cmd.Args[0])
	if err != nil {
		return err
	}
	env, err := rpcenv.New(h, rpcenv.Config{Name: driverName(cmd), Listen: rpcenv.Address{Host: at.Host}, Conf: c, Log: rpcenv.NoLog()})
	if err != nil {
		return err
	}
	// Before the driver starts, so that a Worker's end in between is not missed.
	if err := worker.Watch(env, cmd.Args[0]); err != nil {
		return err
	}
	_, err = RunDriver(env, driver.Config{AppName: s.Name, Masters: masters, Transfer: w.Transfer(), Blocks: w.Blocks(env), FS: w.Files()}, func(_ *rpcenv.Blocking, a *app.App) error {
		err := program(context.Background(), a, args[1:], io.Discard)
		env.Stop(worker.WatcherName) // the result counts, also when the Worker ends now
		return err
	}, func(err error) {
		code := 0
		if err != nil {
			code = 1
		}
		h.Exit(code)
	})
	return err
}

// RunDriver starts a driver on env, whose files are those of the World, and runs a program on it as a body of env. Then it ends the
// driver and env in good order, and done gets the program's error.
func RunDriver(env *rpcenv.Env, cfg driver.Config, program func(b *rpcenv.Blocking, a *app.App) error, done func(error)) (*driver.Driver, error) {
	d, err := driver.Start(env, cfg)
	if err != nil {
		return nil, err
	}
	var failure error
	env.Go("main", func(b *rpcenv.Blocking) error {
		failure = program(b, app.On(d, b))
		return d.Stop(b) // the Master and the executors hear of the end from the driver, while its Env still runs
	}).OnDone(func(err error) {
		env.OnDone(func() {
			if failure == nil {
				failure = err
			}
			done(failure)
		})
		env.Shutdown()
	})
	return d, nil
}
