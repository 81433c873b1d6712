package applicationmaster

import (
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/rpcenv"
)

// forever is how long an application may take.
const forever = 100 * 365 * 24 * time.Hour

// Attend runs the program of a process in cluster mode: it waits until the allocator is ready, runs the program, ends the
// driver, and reports how the program ended. The ApplicationMaster then ends the process. It stands for the thread Driver of
// ApplicationMaster.startUserApplication.
func (r *Running) Attend(b *rpcenv.Blocking, program func() error) {
	am := r.Env.Ref(r.Env.Address(), Name)
	_, err := rpcenv.AskWait(b, am, ContextReady{}, rpcenv.Timeout("the application's patience", forever))
	if err == nil {
		err = program()
	}
	// The code is the program's own choice; an error of the driver's end has none.
	ended := UserEnded{Code: driver.ChosenCode(err)}
	if stop := r.Driver.StopWith(b, driver.ExitCode(err)); err == nil {
		err = stop
	}
	if err != nil {
		ended.Err = err.Error()
	}
	if err := b.Send(am, ended); err != nil {
		r.Env.Log().Warnf("the ApplicationMaster does not know that the program has ended: %v", err)
	}
}
