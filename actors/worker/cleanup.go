package worker

import (
	"slices"

	"github.com/coherer/coherer/rpcenv"
)

// WorkDirCleanup is the tick that removes directories of applications to which nothing was written for
// spark.worker.cleanup.appDataTtl. It mirrors DeployMessages.WorkDirCleanup.
type WorkDirCleanup struct{ rpcenv.Local }

// startCleanup begins the ticks, once: with the first registration, as in Spark.
func (w *Worker) startCleanup(c *rpcenv.Context) {
	if w.cfg.Directories == nil || w.cleanup.Active() || !workerCleanupEnabled.Get(c.Conf()) {
		return
	}
	period := workerCleanupInterval.Get(c.Conf())
	c.Log().Infof("Worker cleanup enabled; old application directories will be deleted in: %s", w.cfg.WorkDir)
	w.cleanup = c.Every(period, period, WorkDirCleanup{})
}

func (w *Worker) workDirCleanup(c *rpcenv.Context) {
	// Taken here: the body of Run runs beside other handlers and must not read the books.
	cleanUp, inUse := w.cfg.Directories.CleanUp, w.books.inUse()
	since := c.Now().Add(-workerCleanupAppDataTTL.Get(c.Conf()))
	rpcenv.Run(c, "directories", func(b *rpcenv.Blocking) ([]string, error) {
		return cleanUp(b, inUse, since)
	}, func(removed []string, err error) {
		for _, name := range removed {
			c.Log().Infof("Removed directory: %s", name)
		}
		if err != nil {
			c.Log().WithError(err).Error("App dir cleanup failed")
		}
	})
}

// inUse are the applications that have a live executor here, and the drivers that live here.
func (b *books) inUse() []string {
	var names []string
	for _, x := range b.live {
		if !slices.Contains(names, x.key.app) {
			names = append(names, x.key.app)
		}
	}
	for _, d := range b.drivers {
		names = append(names, d.id)
	}
	return names
}
