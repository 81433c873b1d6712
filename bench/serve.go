package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/cluster/process"
)

// mostServed is how many receiving sides Serve runs at a time; a run needs one. A connection gets a place with its greeting, so those
// that say nothing keep nobody out; mostWaiting bounds these.
const (
	mostServed  = 8
	mostWaiting = 256
)

// ServeOptions says which contenders Serve may start.
type ServeOptions struct {
	// Rivals, Program and Args mean what they mean in Options.
	Rivals  string
	Program string
	Args    []string
	// Progress gets a line for each receiving side that begins or ends. Writes to it are one at a time.
	Progress io.Writer
}

// Serve starts the receiving sides that come over ln, for runs with Options.Connect at other machines, until ctx ends. It starts
// nothing but the contenders of its own programs. It closes ln, and returns when all that it started has ended.
func Serve(ctx context.Context, ln net.Listener, o ServeOptions) (err error) {
	dir, err := os.MkdirTemp("", "coherer-bench-")
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	starter := process.NewStarter()
	defer starter.Close()
	s := &server{runner{
		opts: Options{Rivals: o.Rivals, Program: o.Program, Args: o.Args, Progress: &locked{to: o.Progress}}, dir: dir, starter: starter, report: new(Report),
	}, make(chan struct{}, mostServed)}
	if err := s.find(ctx); err != nil {
		return errors.Join(err, ln.Close())
	}
	s.say("serving at %s", ln.Addr())
	stopped := context.AfterFunc(ctx, func() { _ = ln.Close() })
	defer stopped()
	var serving sync.WaitGroup
	defer serving.Wait()
	waiting := make(chan struct{}, mostWaiting)
	for {
		conn, err := ln.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil // the end that was asked for
			}
			return errors.Join(err, ln.Close())
		}
		serving.Go(func() {
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
			select {
			case waiting <- struct{}{}:
			default:
				_ = writeLine(conn, welcome{Error: fmt.Sprintf("%d connections have not greeted yet", mostWaiting)})
				return
			}
			in := bufio.NewReader(conn)
			g, err := s.greet(conn, in)
			<-waiting
			if err == nil {
				s.serve(conn, in, g)
			}
		})
	}
}

// locked is a writer for several goroutines.
type locked struct {
	mu sync.Mutex
	to io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	if l.to == nil {
		return len(p), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

// server is Serve's: a runner that only starts what others ask for.
type server struct {
	runner
	places chan struct{}
}

// greet reads a connection's greeting. One that is wrong has its answer already.
func (s *server) greet(conn net.Conn, in *bufio.Reader) (*greeting, error) {
	g := new(greeting)
	err := readLine(conn, in, maxGreeting, g)
	if err == nil {
		err = s.check(g)
	}
	if err != nil {
		s.refuse(conn, err.Error())
	}
	return g, err
}

func (s *server) refuse(conn net.Conn, why string) {
	s.say("%s: refused: %s", conn.RemoteAddr(), why)
	_ = writeLine(conn, welcome{Error: why})
}

// serve serves one connection after its greeting.
func (s *server) serve(conn net.Conn, in *bufio.Reader, g *greeting) {
	if g.Contender != "" {
		select {
		case s.places <- struct{}{}:
			defer func() { <-s.places }()
		default:
			s.refuse(conn, fmt.Sprintf("%d receiving sides run already", mostServed))
			return
		}
	}
	who := conn.RemoteAddr().String()
	w := welcome{Environment: newEnvironment("")}
	for _, f := range s.found {
		w.Contenders = append(w.Contenders, f.Named)
	}
	if writeLine(conn, w) != nil || g.Contender == "" {
		return
	}
	at := slices.IndexFunc(s.found, func(f found) bool { return f.Name == g.Contender })
	s.say("%s: starting the receiving side of %s", who, g.Contender)
	end, err := s.pipe(s.found[at].program, g.GOMAXPROCS, conn, in)
	if err != nil {
		s.say("%s: %s: %v", who, g.Contender, err)
		end = ending{-1, ": " + err.Error()}
	}
	s.say("%s: %s has ended", who, g.Contender)
	_ = writeLine(conn, farewell{&end})
}

// check reports what is wrong with a greeting.
func (s *server) check(g *greeting) error {
	switch {
	case g.Bench != Format:
		return fmt.Errorf("the bench is %q, here it is %q: want the same version at both ends", g.Bench, Format)
	case g.GOMAXPROCS < 1 || g.GOMAXPROCS > 1<<16:
		return fmt.Errorf("GOMAXPROCS %d", g.GOMAXPROCS)
	case g.Contender != "" && !slices.ContainsFunc(s.found, func(f found) bool { return f.Name == g.Contender }):
		return fmt.Errorf("there is no contender %q here", g.Contender)
	}
	return nil
}

// pipe starts the program with the connection as its stdin and stdout, and returns how it ended.
func (s *server) pipe(p program, procs int, conn net.Conn, in io.Reader) (ending, error) {
	c := newChild("receiver")
	close(c.answers) // of this child nobody reads lines here
	out, err := c.launch(s.starter, s.dir, p, procs)
	if err != nil {
		return ending{}, err
	}
	var copying sync.WaitGroup
	defer copying.Wait()
	// When the program ends first, this ends with the reading half of the connection: the other side has nothing more to say to it.
	copying.Go(func() {
		_, _ = io.Copy(c.in, in)
		c.close()
	})
	_, _ = io.Copy(conn, out) // ends with the program, or with the connection, which the other copy notices too
	_ = out.Close()
	end := <-c.ended
	c.ended <- end
	_ = conn.(*net.TCPConn).CloseRead()
	return end, nil
}

// findPeer asks the other machine which contenders it has, and leaves out those that it has not.
func (r *runner) findPeer(ctx context.Context) error {
	if r.opts.Connect == "" {
		return nil
	}
	p, err := askPeer(ctx, r.opts.Connect)
	if err != nil {
		return err
	}
	r.peer, r.report.Peer = p, &Peer{r.opts.Connect, p.Environment}
	r.found = slices.DeleteFunc(r.found, func(f found) bool {
		why := p.refuses(f.Named)
		if why == "" {
			why = f.Refuses(&measure.Spec{Case: f.Cases[0], Pairs: 1, Host: p.far})
		}
		if why != "" {
			r.miss(f.Name, why)
		}
		return why != ""
	})
	if len(r.found) == 0 || r.found[0].Name != own[0].Name() {
		return fmt.Errorf("connect: %s cannot have the receiving side of %s", p.address, own[0].Name())
	}
	return nil
}
