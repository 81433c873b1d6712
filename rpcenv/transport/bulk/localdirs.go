package bulk

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

// Spark's BlockTransferMessage GetLocalDirsForExecutors and its answer, LocalDirsForExecutors.
const (
	tagGetLocalDirs = 10
	tagLocalDirs    = 11
)

// Directories is a [Source] that says in which directories of this machine executors of an application keep their blocks, so that others of the
// machine can read them there. An error refuses the request. It may be called from several goroutines.
type Directories interface {
	LocalDirs(application string, executors []string) (map[string][]string, error)
}

// LocalDirs asks the [Directories] that [Serve] serves at an address. Each executor is in the answer, with a directory at least. Its error is
// ErrNotServed when the peer refuses, with the reason; else what happened to the connection.
func (c *Client) LocalDirs(ctx context.Context, at rpcenv.Address, application string, executors []string) (dirs map[string][]string, err error) {
	err = c.do(ctx, at, func(p *clientConn) error {
		body, err := p.rpc(encodeGetLocalDirs(application, executors))
		if err != nil {
			return err
		}
		dirs, err = decodeLocalDirs(body)
		return err
	})
	for _, id := range executors {
		if err == nil && len(dirs[id]) == 0 {
			err = fmt.Errorf("%w: no directory of executor %s", wire.ErrMalformedFrame, id)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("ask %s for directories: %w", at, err)
	}
	return dirs, nil
}

// isGetLocalDirs says that the body of a request asks for directories.
func isGetLocalDirs(body []byte) bool {
	return len(body) > len(bulkMagic) && body[len(bulkMagic)] == tagGetLocalDirs
}

// localDirs answers a request for directories.
func (c *serverConn) localDirs(id int64, body []byte) error {
	answer, err := c.findLocalDirs(body)
	if err != nil {
		c.out = appendRPCFailure(c.out[:0], id, clip(err.Error()))
		return c.write()
	}
	c.out = appendRPC(c.out[:0], wire.RPCResponse, id, answer)
	return c.write()
}

func (c *serverConn) findLocalDirs(body []byte) ([]byte, error) {
	d, ok := c.blocks.(Directories)
	if !ok {
		return nil, errors.New("no directories are known here")
	}
	application, executors, err := decodeGetLocalDirs(body)
	if err != nil {
		return nil, err
	}
	dirs, err := d.LocalDirs(application, executors)
	if err != nil {
		return nil, err
	}
	return encodeLocalDirs(executors, dirs), nil
}

func encodeGetLocalDirs(application string, executors []string) []byte {
	dst := append([]byte(bulkMagic), tagGetLocalDirs)
	return appendTexts(wire.AppendText(dst, application), executors)
}

func decodeGetLocalDirs(body []byte) (application string, executors []string, err error) {
	s := wire.Scanner{Left: body}
	magic(&s, tagGetLocalDirs, "request for directories")
	application, executors = s.Text("application"), scanTexts(&s, "executor")
	return application, executors, s.End()
}

// encodeLocalDirs has the executors, how many directories each has, and all directories.
func encodeLocalDirs(executors []string, dirs map[string][]string) []byte {
	dst := appendTexts(append([]byte(bulkMagic), tagLocalDirs), executors)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(executors)))
	var all []string
	for _, id := range executors {
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(dirs[id])))
		all = append(all, dirs[id]...)
	}
	return appendTexts(dst, all)
}

func decodeLocalDirs(body []byte) (map[string][]string, error) {
	s := wire.Scanner{Left: body}
	magic(&s, tagLocalDirs, "answer with directories")
	executors := scanTexts(&s, "executor")
	if n := s.Int32("number of numbers"); n != len(executors) {
		s.Fail(fmt.Sprintf("%d numbers for %d executors", n, len(executors)))
	}
	counts := make([]int, len(executors))
	for i := range counts {
		counts[i] = s.Int32("number of directories")
	}
	all := scanTexts(&s, "directory")
	dirs := map[string][]string{}
	for i, id := range executors {
		n := counts[i]
		if n < 0 || n > len(all) {
			s.Fail(fmt.Sprintf("%d directories, where %d are left", n, len(all)))
			break
		}
		dirs[id], all = all[:n], all[n:]
	}
	if len(all) > 0 {
		s.Fail(fmt.Sprintf("%d directories of nobody", len(all)))
	}
	return dirs, s.End()
}

func appendTexts(dst []byte, texts []string) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(texts)))
	for _, t := range texts {
		dst = wire.AppendText(dst, t)
	}
	return dst
}

// scanTexts reads a list of texts. Each has a length field at least, so that the list is never longer than what came.
func scanTexts(s *wire.Scanner, what string) []string {
	n := s.Int32("number of " + what + "s")
	if n < 0 || n > len(s.Left)/4 {
		s.Fail(fmt.Sprintf("%d %ss in %d bytes", n, what, len(s.Left)))
		return nil
	}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = s.Text(what)
	}
	return texts
}
