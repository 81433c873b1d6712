package shuffleservice

import (
	"fmt"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = "ExternalShuffleService"

// Service is the endpoint: the shuffle service of one host.
type Service struct {
	outputs Outputs
	book    book
	disk    disk
}

// New makes a Service without applications.
func New(outputs Outputs) *Service { return &Service{outputs: outputs, book: newBook()} }

// OnStart is a callback of the endpoint.
func (s *Service) OnStart(c *rpcenv.Context) {
	c.Log().Infof("Starting shuffle service on port %d", s.outputs.Address().Port)
}

// Receive is the table of what a Service understands.
func (s *Service) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case InitializeApplication:
		s.initializeApplication(m)
	case *storage.RegisterShuffleExecutor:
		s.registerExecutor(c, m)
	case ExecutorRemoved:
		s.executorRemoved(c, m)
	case StopApplication:
		s.stopApplication(c, m)
	default:
		c.Unsupported(m)
	}
}

func (s *Service) initializeApplication(m InitializeApplication) { s.book.start(m.App) }

func (s *Service) registerExecutor(c *rpcenv.Context, m *storage.RegisterShuffleExecutor) {
	x := Executor{App: m.GetAppId(), ID: m.GetExecId()}
	dirs := m.GetExecutorInfo().GetLocalDirs()
	err := s.book.check(m)
	if err == nil {
		if err = s.outputs.Add(x, dirs); err != nil {
			err = fmt.Errorf("%w: %w", ErrRefused, err)
		}
	}
	if err != nil {
		c.Log().Warnf("An executor may not register: %v", err)
		rpcenv.Fail(c, m, err)
		return
	}
	s.book.enter(x, dirs)
	c.Log().Infof("Registered executor %s of %s with %d local directories", x.ID, x.App, len(dirs))
	at := s.outputs.Address()
	rpcenv.Reply(c, m, &storage.ShuffleExecutorRegistered{ShuffleServerId: &storage.BlockManagerId{ExecutorId: x.ID, Host: at.Host, Port: int32(at.Port)}})
}

func (s *Service) executorRemoved(c *rpcenv.Context, m ExecutorRemoved) {
	x := Executor{App: m.App, ID: m.Executor}
	if !s.book.knows(x) {
		c.Log().Info(NotRegistered(x))
		return
	}
	c.Log().Infof("Cleaning up non-shuffle files of executor %s of %s", x.ID, x.App)
	clean := s.outputs.Clean
	s.disk.do(c, removal{
		body: func(b *rpcenv.Blocking) error { return clean(b, x) },
		what: fmt.Sprintf("clean up after executor %s of %s", x.ID, x.App),
	})
}

func (s *Service) stopApplication(c *rpcenv.Context, m StopApplication) {
	gone, dirs := s.book.stop(m.App)
	c.Log().Infof("Application %s removed, cleanupLocalDirs = %t", m.App, m.CleanUp)
	// All at once and before the files go: nobody may find half of an application.
	for _, x := range gone {
		s.outputs.Forget(x)
	}
	if !m.CleanUp {
		dirs = nil
	}
	answer, remove := rpcenv.Defer(c, m), s.outputs.Remove
	s.disk.do(c, removal{
		body: func(b *rpcenv.Blocking) error { return remove(b, dirs) },
		what: "remove the local directories of application " + m.App,
		done: func() { answer.Reply(&rpc.Bool{Value: true}) },
	})
}

// OnConnected does nothing.
func (s *Service) OnConnected(*rpcenv.Context, rpcenv.Address) {}

// OnDisconnected does nothing: the end of an executor is no reason to forget it.
func (s *Service) OnDisconnected(*rpcenv.Context, rpcenv.Address) {}
