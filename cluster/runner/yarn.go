package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/boot"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// YARN is a cluster of YARN: one ResourceManager and NodeManagers.
type YARN struct {
	// Mode is where the driver runs.
	Mode submit.Mode
	// Nodes, and what each offers.
	Nodes, NodeCores, NodeMemoryMB int
	// Class is the program's name, Args the application's arguments, BuiltIn whether the program is coherer's own.
	Class   string
	Args    []string
	BuiltIn bool
}

// onYARN is cluster with a ResourceManager and NodeManagers.
func (r *run) onYARN(ctx context.Context) error {
	rm, at, err := r.resourceManager(ctx)
	if err != nil {
		return err
	}
	r.rm = at.String()
	nodes, err := r.nodeManagers(ctx, at)
	if err == nil {
		r.say("ResourceManager and %d NodeManagers ready in %.2f s", len(nodes), time.Since(r.begin).Seconds())
		if err = r.noteDetails(); err == nil {
			err = r.application(ctx, at)
		}
	}
	r.ending.Store(true)
	// The NodeManagers first, side by side: each reports the ends of its containers to the ResourceManager.
	endAll(nodes)
	endAll([]*daemon{rm})
	return err
}

func (r *run) resourceManager(ctx context.Context) (*daemon, rpcenv.Address, error) {
	// The queue is root.default for every user: Hadoop's has the user's name, and no queue can be called root.
	args := []string{"resourcemanager", "--host", "127.0.0.1", "--port", "0", "--conf", scheduler.FairUserAsDefaultQueue.Key() + "=false", "--conf", known.ResourceManagerWebapp.Key() + "=127.0.0.1:0"}
	d, err := r.start("resourcemanager", process.Spec{Path: r.self, Ready: true, Args: slices.Concat(args, expiries(), r.settings("RM"))},
		func(code int) { r.lost(fmt.Errorf("the ResourceManager ended with exit code %d", code)) })
	if err != nil {
		return nil, rpcenv.Address{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	ready, err := d.Ready(ctx)
	if err != nil {
		return d, rpcenv.Address{}, err
	}
	r.serves("RM", ready)
	at, err := rpcenv.ParseYARNURL(ready.URL)
	return d, at, err
}

// nodeManagers starts them side by side. The output of containers stays in the run directory.
func (r *run) nodeManagers(ctx context.Context, rm rpcenv.Address) ([]*daemon, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	y := r.cfg.YARN
	var all []*daemon
	var left atomic.Int64
	left.Store(int64(y.Nodes))
	for i := range y.Nodes {
		n := strconv.Itoa(i + 1)
		d, err := r.start("nodemanager"+n, process.Spec{
			Path: r.self, Ready: true,
			Args: append([]string{
				"nodemanager", rm.String(), "--host", "127.0.0.1", "--port", "0", "--cores", strconv.Itoa(y.NodeCores),
				"--memory", strconv.Itoa(y.NodeMemoryMB) + "m", "--conf", known.NodeManagerWebapp.Key() + "=127.0.0.1:0",
				"--local-dirs", filepath.Join(r.dir.Work(), "node"+n), "--log-dirs", r.nodeLogs(i),
				"--conf", anyShufflePort, "--conf", r.auxServices(),
			}, r.settings("NM"+n)...),
		}, func(int) {
			if left.Add(-1) == 0 {
				r.lost(errors.New("no NodeManager is left"))
				return
			}
			r.say("%s", r.nodeLost())
		})
		if err != nil {
			return all, err
		}
		all = append(all, d)
	}
	for i, d := range all { // only now, when all are on their way
		ready, err := d.Ready(ctx)
		if err != nil {
			return all, err
		}
		r.serves(fmt.Sprint("NM", i+1), ready)
	}
	return all, nil
}

func (r *run) nodeLogs(i int) string { return filepath.Join(r.dir.Logs(), "node"+strconv.Itoa(i+1)) }

// application runs the application and waits for its end.
func (r *run) application(ctx context.Context, rm rpcenv.Address) error {
	settings := maps.Clone(r.cfg.Conf)
	if settings == nil {
		settings = map[string]string{}
	}
	settings[submit.MasterURL.Key()], settings[rpcenv.TraceDir.Key()] = app.YARNMaster, r.dir.Trace()
	settings[submit.AppName.Key()] = r.cfg.Name
	settings[conf.HadoopPrefix+rmproxy.ResourceManagerAddress.Key()] = rm.String()
	if settings[yarnclient.YARNStagingDir.Key()] == "" { // below the work directory it goes with the run, also when the driver is killed
		settings[yarnclient.YARNStagingDir.Key()] = filepath.Join(r.dir.Work(), "staging")
	}
	if r.cfg.Debug != "" {
		settings[rpcenv.DebugAddr.Key()] = r.cfg.Debug
	}
	if r.cfg.YARN.Mode == submit.Client {
		err := r.runDriver(ctx, app.Submission{Name: r.cfg.Name, Conf: settings, Library: r.self, Warned: true})
		return errors.Join(err, r.awaitEnds(ctx, rm))
	}
	s := yarnclient.Submission{Mode: submit.Cluster, Name: r.cfg.Name, Program: r.cfg.Program[0], Class: r.cfg.YARN.Class, Args: r.cfg.YARN.Args}
	if !r.cfg.YARN.BuiltIn {
		s.Jar = "file:" + s.Program
	}
	err := SubmitToYARN(ctx, settings, "", s, r.cfg.Stderr, r.cfg.Stderr)
	return errors.Join(err, r.showOutput())
}

// endTime is how long applications may take to end after their drivers.
const endTime = 5 * time.Second

// awaitEnds waits until the ResourceManager has no application that goes on: an application master in client mode ends a
// moment after its driver.
func (r *run) awaitEnds(ctx context.Context, rm rpcenv.Address) (err error) {
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	rec, err := record.NewProcessRecorder(filepath.Join(r.dir.Trace(), "Client.trace"), 0)
	if err != nil {
		return err
	}
	p, err := boot.Open(boot.Options{Recorder: rec, Warn: func(why ...any) { r.say("%v", why...) }}, rpcenv.Config{Name: "Client"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	b := p.Env.Blocking(ctx)
	defer b.Close()
	q := &yarn.GetApplicationsRequest{ApplicationStates: []yarn.YarnApplicationState{
		yarn.YarnApplicationState_NEW, yarn.YarnApplicationState_NEW_SAVING, yarn.YarnApplicationState_SUBMITTED,
		yarn.YarnApplicationState_ACCEPTED, yarn.YarnApplicationState_RUNNING,
	}}
	for {
		live, err := rpcenv.AskWait(b, p.Env.Ref(rm, ids.ClientRMService), q)
		if err != nil || len(live.GetApplications()) == 0 || b.Sleep(endTime/50) != nil {
			return nil //nolint:nilerror // whatever is left ends with its NodeManager
		}
	}
}

// showOutput prints what the driver printed, from the output of its container: that of the last attempt.
func (r *run) showOutput() error {
	last := ""
	for i := range r.cfg.YARN.Nodes {
		paths, err := filepath.Glob(filepath.Join(r.nodeLogs(i), "application_*", "container_*_000001", "stdout"))
		if err != nil {
			return err
		}
		for _, p := range paths {
			if filepath.Base(filepath.Dir(p)) > filepath.Base(filepath.Dir(last)) {
				last = p
			}
		}
	}
	if last == "" {
		return nil // no attempt ever began
	}
	f, err := os.Open(last)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(r.cfg.Stdout, f)
	return err
}

// auxServices gives each node a shuffle service, when the application wants one.
func (r *run) auxServices() string {
	c, _ := conf.New(r.cfg.Conf, known.All()) // checked by Run
	name := ""
	if shuffleservice.ShuffleServiceEnabled.Get(c) {
		name = shuffleservice.ShuffleServiceName.Get(c)
	}
	return nodemanager.NodeManagerAuxServices.Key() + "=" + name
}
