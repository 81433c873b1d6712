package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/program"
)

const (
	// maxProgram bounds a program that is fetched, in bytes.
	maxProgram = 1 << 30
	// fetchTime bounds how long that may take.
	fetchTime = 10 * time.Minute
)

// programs brings the programs of drivers to this machine. It mirrors DriverRunner.downloadUserJar.
type programs struct {
	client *http.Client
	limit  int64
}

func newPrograms() programs {
	return programs{client: &http.Client{Timeout: fetchTime, Transport: &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment}}, limit: maxProgram}
}

// Fetch makes the driver's directory and finds the program that name means: spark-internal is this Worker's own, a path is
// used where it is, an http or https address is fetched into the directory.
func (p programs) Fetch(b *rpcenv.Blocking, name, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("driver directory: %w", err)
	}
	u, err := url.Parse(name)
	switch {
	case name == driverclient.SparkInternal:
		_, self, err := program.Self()
		return self, err
	case filepath.IsAbs(name):
		return name, process.CheckBinary(name)
	case err != nil:
		return "", err
	case u.Scheme == "http" || u.Scheme == "https":
		return p.download(b.Context(), name, dir)
	case (u.Scheme == "file" || u.Scheme == "local") && u.Host == "" && filepath.IsAbs(u.Path):
		return u.Path, process.CheckBinary(u.Path)
	}
	return "", fmt.Errorf("%q is neither an absolute path that every Worker sees nor an http or https address", name)
}

// download fetches a program. What was fetched of one that cannot be run is removed.
func (p programs) download(ctx context.Context, from, dir string) (_ string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return "", err
	}
	res, err := p.client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode != http.StatusOK:
		return "", fmt.Errorf("%s: %s", from, res.Status)
	case res.ContentLength > p.limit:
		return "", fmt.Errorf("%s: it has %d bytes, more than the %d that a program may have", from, res.ContentLength, p.limit)
	}
	// A driver that is started again finds the program of its first start here, and replaces it.
	path := filepath.Join(dir, "program")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o700)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	// A server need not say a length, and need not keep to it: what comes is counted.
	n, err := io.Copy(f, io.LimitReader(res.Body, p.limit+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("%s: %w", from, err)
	}
	if n > p.limit {
		return "", fmt.Errorf("%s: it has more than the %d bytes that a program may have", from, p.limit)
	}
	if err := process.CheckBinary(path); err != nil {
		return "", fmt.Errorf("%s: %s", from, strings.TrimPrefix(err.Error(), "program "+path+": "))
	}
	return path, nil
}
