package master

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// registerApplication gives an application its id and its first executors. A repetition gets the id that the
// application has.
func (m *Master) registerApplication(c *rpcenv.Context, r *deploy.RegisterApplication) {
	driver, desc := c.Ref(r.GetDriver()), r.GetAppDescription()
	if m.state == RecoveryStandby { // no answer, as in Spark: the driver asks all Masters, and the leader answers
		return
	}
	if driver.IsZero() {
		c.Log().Warnf("Ignoring an application without a reference to its driver from %s", c.Sender())
		return
	}
	if known := m.addressToApp[driver.Address]; known != nil && known.sought {
		// The connection of the known driver has ended. A driver that still lives does not register again, so this is another
		// process that got the same port.
		m.removeApplication(c, known, ApplicationFinished, "another driver is at "+driver.Address.String())
	} else if known != nil {
		c.Log().Infof("Attempted to re-register application at same address: %s", driver.Address)
		m.answerApplication(c, known)
		return
	}
	if problem := cmp.Or(badPeer(driver.Proto()), badApplication(desc)); problem != "" {
		c.Log().Warnf("Refusing app %s: %s", desc.GetName(), problem)
		c.Send(driver, &deploy.ApplicationRemoved{Message: problem, MasterTerm: m.cfg.Term})
		return
	}
	c.Log().Infof("Registering app %s", desc.GetName())
	app := m.newApplication(c, m.newApplicationID(c, desc), desc, driver, c.Now())
	m.addApplication(c, app, "registered")
	m.persistApplication(c, app) // before the answer, which waits for it: a crash must not forget an id that the driver knows
	c.Log().Infof("Registered app %s with ID %s", desc.GetName(), app.ID)
	m.answerApplication(c, app) // before schedule: the driver needs its id before the first ExecutorAdded
	m.schedule(c)
}

func (m *Master) answerApplication(c *rpcenv.Context, app *applicationInfo) {
	c.Send(app.Driver, &deploy.RegisteredApplication{AppId: app.ID, Master: c.Self().Proto(), MasterTerm: m.cfg.Term})
}

// badApplication is what is wrong with a description, or "".
func badApplication(d *deploy.ApplicationDescription) string {
	switch {
	case d == nil:
		return "the description is missing"
	case d.MaxCores != nil && d.GetMaxCores() < 1:
		return fmt.Sprintf("an application with %d cores cannot run: set spark.cores.max", d.GetMaxCores())
	case d.GetInitialExecutorLimit() < 0:
		return fmt.Sprintf("the first limit of executors is %d: it cannot be below 0", d.GetInitialExecutorLimit())
	}
	return badProfile(&deploy.ResourceProfile{
		ExecutorCores: d.CoresPerExecutor, ExecutorMemoryMb: d.GetMemoryPerExecutorMb(), ExecutorResources: d.GetResourcesPerExecutor(),
	})
}

func (m *Master) newApplication(
	c *rpcenv.Context, id string, desc *deploy.ApplicationDescription, driver rpcenv.Ref, started time.Time,
) *applicationInfo {
	app := &applicationInfo{
		ID: id, Desc: desc, Driver: driver, Started: started,
		MaxCores: defaultCores.Get(c.Conf()),
	}
	if desc.MaxCores != nil {
		app.MaxCores = int(desc.GetMaxCores())
	}
	return app
}

// addApplication enters an application.
func (m *Master) addApplication(c *rpcenv.Context, app *applicationInfo, why string) {
	m.apps = append(m.apps, app)
	m.idToApp[app.ID] = app
	m.addressToApp[app.Driver.Address] = app
	c.State("application", app.ID, "", app.State.String(), why)
}

// newApplicationID is made by spark.deploy.appIdPattern of the time and a number, or of the name when
// spark.master.useAppNameAsAppId.enabled says so, no application has that id, and Workers take it.
func (m *Master) newApplicationID(c *rpcenv.Context, desc *deploy.ApplicationDescription) string {
	if useAppNameAsAppID.Get(c.Conf()) {
		id := strings.ToLower(strings.Join(strings.Fields(desc.GetName()), ""))
		if ids.Plain(id) && !m.knowsApplication(id) {
			return id
		}
	}
	return fresh(len(m.apps)+len(m.completed), func() string {
		id := applicationID(appIDPattern.Get(c.Conf()), c.Now(), m.nextApp)
		m.nextApp++
		if modulo, ok := appNumberModulo.Find(c.Conf()); ok { // an id can come again: fresh takes the next one then
			m.nextApp %= modulo
		}
		return id
	}, m.knowsApplication)
}

func (m *Master) knowsApplication(id string) bool {
	return m.idToApp[id] != nil || slices.ContainsFunc(m.completed, func(a *applicationInfo) bool { return a.ID == id })
}

// fresh is the first id that is not taken. A Master that was started again counts from 0 again, so that within one second
// an id could be another's. When as many as are known are all taken the pattern does not use the number (%[1]s), and the
// id gets one behind it.
func fresh(known int, next func() string, taken func(id string) bool) string {
	id := next()
	for range known {
		if !taken(id) {
			return id
		}
		id = next()
	}
	plain := id
	for n := 2; taken(id); n++ {
		id = fmt.Sprintf("%s-%d", plain, n)
	}
	return id
}

func applicationID(pattern string, at time.Time, n int) string {
	standard, _ := appIDPattern.Default()
	return filledIn(pattern, standard, at, n)
}

// filledIn is a pattern of ids with a time and a number. One that gives an id that Workers refuse is replaced by the standard
// one; one that does not take time and number, too: fmt complains within the id, with a %.
func filledIn(pattern, standard string, at time.Time, n int) string {
	stamp := at.Format("20060102150405")
	if id := fmt.Sprintf(pattern, stamp, n); ids.Plain(id) {
		return id
	}
	return fmt.Sprintf(standard, stamp, n)
}

const (
	// seekPatience is how long a driver whose connection has ended may take to answer.
	seekPatience = 10 * time.Second
	// seekTries is how often it is asked: the first question can go the way of another connection that is ending too.
	seekTries = 2
)

// seekDriver finds out whether a driver is gone, or its connection only. A live driver gets MasterChanged, which makes it hold
// on to its application; the application of a driver that is gone is finished, as Spark's Master does at once. Another process
// at the driver's address could answer: it registers, or it does not know the application.
func (m *Master) seekDriver(c *rpcenv.Context, app *applicationInfo) {
	if !app.sought {
		app.sought = true
		m.askDriver(c, app, seekTries)
	}
}

func (m *Master) askDriver(c *rpcenv.Context, app *applicationInfo, tries int) {
	at := app.Driver.Address
	verifier := rpcenv.Ref{Address: at, Name: rpcenv.VerifierName}
	rpcenv.Ask(c, verifier, &rpc.CheckExistence{Name: app.Driver.Name}, func(found *rpc.Bool, err error) {
		switch {
		case m.idToApp[app.ID] != app: // it has ended while the question was under way
		case errors.Is(err, rpcenv.ErrUnreachableDisconnected) && tries > 1:
			m.askDriver(c, app, tries-1)
		case !found.GetValue(): // an error brings no answer
			c.Log().Infof("%s got disassociated, removing it.", at)
			m.removeApplication(c, app, ApplicationFinished, at.String()+" got disassociated")
			m.completeIfPossible(c)
		default:
			app.sought = false
			c.Log().Warnf("%s lost its connection and is there, keeping it.", at)
			c.Send(app.Driver, m.masterChanged(c))
		}
	}, rpcenv.Timeout("the Master's patience with a driver", seekPatience))
}

// byItsDriver is the reason of an application that its driver ended.
const byItsDriver = "unregistered"

// unregisterApplication ends an application by its driver's wish; it ignores an unknown id.
func (m *Master) unregisterApplication(c *rpcenv.Context, u *deploy.UnregisterApplication) {
	c.Log().Infof("Received unregister request from application %s", u.GetAppId())
	if app := m.idToApp[u.GetAppId()]; app != nil {
		m.removeApplication(c, app, ApplicationFinished, byItsDriver)
	}
}

// killApplication ends an application at a user's wish. It mirrors what MasterPage.handleAppKillRequest does in the Master's
// own process.
func (m *Master) killApplication(c *rpcenv.Context, k *deploy.KillApplication) {
	app := m.idToApp[k.GetAppId()]
	if app != nil {
		c.Log().Infof("Asked to kill application %s", app.ID)
		m.removeApplication(c, app, ApplicationKilled, "killed by a user")
	}
	rpcenv.Reply(c, k, &rpc.Bool{Value: app != nil})
}

// removeApplication ends an application: it kills its executors, then sends ApplicationFinished to every Worker, also to a
// dead one, which may be alive after all. The driver gets ApplicationRemoved unless it wanted the end.
func (m *Master) removeApplication(c *rpcenv.Context, app *applicationInfo, to ApplicationState, why string) {
	if !m.setApplication(c, app, to, why) {
		return
	}
	c.Log().Infof("Removing app %s", app.ID)
	m.persist(c, appPrefix+app.ID, nil)
	app.Ended, app.endedFor = c.Now(), why
	if to == ApplicationFailed {
		m.failed(c, failedApplication, app.ID, "", to.String(), why)
	}
	// Out of the books before its cores come free: schedule, below, must not give them to this application again.
	m.apps = slices.DeleteFunc(m.apps, func(a *applicationInfo) bool { return a == app })
	delete(m.idToApp, app.ID)
	delete(m.addressToApp, app.Driver.Address)
	m.completed = retain(m.completed, app, retainedApplications.Get(c.Conf()))
	granted := app.CoresGranted
	for _, e := range app.Executors() {
		m.killExecutor(c, e, "application "+strings.ToLower(to.String()))
	}
	app.CoresGranted = granted // its record shows what it had to its end, as Spark's does
	if to != ApplicationFinished {
		c.Send(app.Driver, &deploy.ApplicationRemoved{Message: to.String(), MasterTerm: m.cfg.Term})
	}
	m.schedule(c)
	for _, w := range m.workers.all() {
		if w.State == WorkerDecommissioned { // app.Executors, above, lacks what the decommission took from the application
			for _, e := range w.Executors() {
				if e.App == app {
					m.killExecutor(c, e, "application "+strings.ToLower(to.String()))
				}
			}
		}
		c.Send(w.Ref, &deploy.ApplicationFinished{Id: app.ID, MasterTerm: m.cfg.Term})
	}
}

// retain appends to what has ended; when there are limit of them a tenth, the oldest, goes first.
func retain[T any](completed []T, last T, limit int) []T {
	if limit == 0 {
		return nil
	}
	if len(completed) >= limit {
		completed = slices.Delete(completed, 0, max(limit/10, 1))
	}
	return append(completed, last)
}

// setApplication changes an application's state; false: it cannot.
func (m *Master) setApplication(c *rpcenv.Context, app *applicationInfo, to ApplicationState, why string) bool {
	return applicationMoves.Move(c, app.ID, &app.State, to, why)
}
