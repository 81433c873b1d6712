package worker

import (
	"fmt"

	"github.com/coherer/coherer/rpcenv"
)

// WatcherName is what the endpoint that watches a Worker is called.
const WatcherName = "WorkerWatcher"

// exitLost is Spark's exit code -1, as the parent of the process sees it.
const exitLost = 255

// Watcher is an endpoint of an executor (or of a driver in cluster mode): it holds a connection to the Worker that
// started the process, and ends the process with code 255 (Spark's -1) when the connection is lost. It sends nothing but
// the look-up that opens the connection. A process that ends by itself stops the endpoint first: the loss of the Worker is no
// reason to exit any more then. It mirrors org.apache.spark.deploy.worker.WorkerWatcher.
type Watcher struct {
	url    string
	worker rpcenv.Address
}

// Watch ends the process of env with the Worker of a URL, spark://Worker@HOST:PORT; an empty one is no Worker, a malformed one
// rpcenv.ErrInvalidURL.
func Watch(env *rpcenv.Env, url string) error {
	if url == "" {
		return nil
	}
	a, _, err := rpcenv.ParseURI(url)
	if err != nil {
		return fmt.Errorf("watch the worker: %w", err)
	}
	_, err = env.Register(WatcherName, &Watcher{url: url, worker: a})
	return err
}

// OnStart looks the Worker up, which opens the connection.
func (w *Watcher) OnStart(c *rpcenv.Context) {
	c.Log().Infof("Connecting to worker %s", w.url)
	rpcenv.Resolve(c, w.url, func(_ rpcenv.Ref, err error) {
		if err != nil { // no reason to exit: if the Worker is gone, OnDisconnected or OnNetworkError says so
			c.Log().WithError(err).Warnf("The look-up of worker %s failed", w.url)
			return
		}
		c.Log().Infof("Successfully connected to %s", w.url)
	})
}

// Receive understands nothing.
func (w *Watcher) Receive(c *rpcenv.Context, m rpcenv.Message) {
	c.Log().Warnf("Received unexpected message: %T", m)
}

// OnConnected does nothing.
func (w *Watcher) OnConnected(*rpcenv.Context, rpcenv.Address) {}

// OnDisconnected ends the process when the Worker is gone.
func (w *Watcher) OnDisconnected(c *rpcenv.Context, peer rpcenv.Address) { w.lost(c, peer) }

// OnNetworkError ends the process when the Worker cannot be reached.
func (w *Watcher) OnNetworkError(c *rpcenv.Context, _ error, peer rpcenv.Address) { w.lost(c, peer) }

func (w *Watcher) lost(c *rpcenv.Context, peer rpcenv.Address) {
	if peer != w.worker {
		return
	}
	c.Log().Errorf("Lost connection to worker rpc endpoint %s. Exiting.", w.url)
	c.Exit(exitLost, "Lost connection to worker rpc endpoint "+w.url)
}
