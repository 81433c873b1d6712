package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/cluster/archive"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Cache brings resources to a node's disks: from files and over HTTP. It mirrors FSDownload.
type Cache struct {
	disks  *Disks
	client *http.Client
	limits limits
	next   atomic.Int64
}

// limits bound a fetch.
type limits struct {
	bytes    int64 // of a source that does not say its size, and of an archive unpacked
	entries  int   // of an archive
	download time.Duration
}

var _ nodemanager.Localizer = (*Cache)(nil)

// NewCache makes a Cache on disks.
func NewCache(disks *Disks) *Cache {
	l := limits{bytes: 16 << 30, entries: 500_000, download: 10 * time.Minute}
	return &Cache{
		disks: disks, limits: l,
		client: &http.Client{Timeout: l.download, Transport: &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment}},
	}
}

// Fetch brings a resource into a directory of its own. What came of one that fails is removed.
func (k *Cache) Fetch(b *rpcenv.Blocking, r nodemanager.Resource) (nodemanager.Fetched, error) {
	return k.fetch(b.Context(), r)
}

func (k *Cache) fetch(ctx context.Context, r nodemanager.Resource) (_ nodemanager.Fetched, err error) {
	if r.Type == yarn.LocalResourceType_PATTERN {
		return nodemanager.Fetched{}, fmt.Errorf("resource %s: the type PATTERN is not supported: use ARCHIVE or FILE", r.URL)
	}
	u, err := url.Parse(r.URL)
	if err != nil {
		return nodemanager.Fetched{}, fmt.Errorf("resource: %w", err)
	}
	// The name comes from a client: it must not lead out of the resource's directory.
	name := path.Base(path.Clean("/" + u.Path))
	if name == "/" || !filepath.IsLocal(name) {
		return nodemanager.Fetched{}, fmt.Errorf("resource %s: it names no file", r.URL)
	}
	parent, err := k.parent(r)
	if err != nil {
		return nodemanager.Fetched{}, err
	}
	dir := filepath.Join(parent, strconv.FormatInt(k.next.Add(1)+9, 10)) // the first is 10, as in Hadoop
	defer func() {
		if err != nil {
			err = errors.Join(failed(err), removeAll(dir))
		}
	}()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nodemanager.Fetched{}, err
	}
	src, err := k.open(ctx, u, r)
	if err != nil {
		return nodemanager.Fetched{}, err
	}
	defer src.Close()
	to := filepath.Join(dir, name)
	size, err := k.keep(ctx, src, to, r)
	return nodemanager.Fetched{Path: to, Size: size}, err
}

// parent is where resources of that visibility lie.
func (k *Cache) parent(r nodemanager.Resource) (string, error) {
	local, err := k.disks.pick(k.disks.local)
	if err != nil || r.Visibility == yarn.LocalResourceVisibility_PUBLIC {
		return filepath.Join(local, "filecache"), err
	}
	// Both names become directories, and both come over the network.
	if err := ids.Check("user", r.User); err != nil {
		return "", err
	}
	if r.Visibility == yarn.LocalResourceVisibility_PRIVATE {
		return filepath.Join(local, "usercache", r.User, "filecache"), nil
	}
	if err := ids.Check("application", r.App); err != nil {
		return "", err
	}
	return filepath.Join(appDir(local, r.User, r.App), "filecache"), nil
}

// open opens the source, and checks that its time and size are those of the resource.
func (k *Cache) open(ctx context.Context, u *url.URL, r nodemanager.Resource) (io.ReadCloser, error) {
	switch {
	case (u.Scheme == "file" || u.Scheme == "") && (u.Host == "" || u.Host == "localhost"):
		return openFile(u.Path, r)
	case u.Scheme == "http" || u.Scheme == "https":
		return k.get(ctx, r)
	}
	return nil, fmt.Errorf("No FileSystem for scheme %q: resources are fetched from file:, http: and https:", u.Scheme)
}

func openFile(name string, r nodemanager.Resource) (io.ReadCloser, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("File %s does not exist", r.URL)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", r.URL)
	case info.ModTime().UnixMilli() != r.Timestamp:
		return nil, changed(r, fmt.Sprintf("its time of change was %d ms, and is %d ms", r.Timestamp, info.ModTime().UnixMilli()))
	case info.Size() != r.Size:
		return nil, changed(r, fmt.Sprintf("it had %d bytes, and has %d", r.Size, info.Size()))
	}
	return os.Open(name)
}

// changed is the error of a source that is another than the submission meant.
func changed(r nodemanager.Resource, how string) error {
	return fmt.Errorf("Resource %s changed on src filesystem: %s", r.URL, how)
}

// get asks for a source over HTTP. Its time is that of the header Last-Modified, which counts seconds.
func (k *Cache) get(ctx context.Context, r nodemanager.Resource) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return nil, err
	}
	res, err := k.client.Do(req)
	if err != nil {
		return nil, err
	}
	// A server need not send the time or the length: then the size of what came, in copy, has to do.
	at, timeErr := http.ParseTime(res.Header.Get("Last-Modified"))
	switch {
	case res.StatusCode != http.StatusOK:
		err = fmt.Errorf("%s: %s", r.URL, res.Status)
	case timeErr == nil && r.Timestamp > 0 && at.Unix() != r.Timestamp/1000:
		err = changed(r, fmt.Sprintf("its time of change was %d s, and is %d s", r.Timestamp/1000, at.Unix()))
	case r.Size > 0 && res.ContentLength >= 0 && res.ContentLength != r.Size:
		err = changed(r, fmt.Sprintf("it had %d bytes, and has %d", r.Size, res.ContentLength))
	}
	if err != nil {
		return nil, errors.Join(err, res.Body.Close())
	}
	return res.Body, nil
}

// keep writes a source to a file, or an archive's entries to a directory of its name. It returns how many bytes there are.
func (k *Cache) keep(ctx context.Context, src io.Reader, to string, r nodemanager.Resource) (int64, error) {
	if r.Type != yarn.LocalResourceType_ARCHIVE || !archive.Known(to) {
		return k.copy(ctx, src, to, r)
	}
	// First all of it to a file: a zip's list stands at its end, and only the whole shows whether its size is right.
	packed := to + ".packed"
	if _, err := k.copy(ctx, src, packed, r); err != nil {
		return 0, err
	}
	n, err := archive.Unpack(ctx, packed, to, to, archive.Limits{Mode: fileMode(r), Bytes: k.limits.bytes, Entries: k.limits.entries})
	if err != nil {
		return 0, fmt.Errorf("unpack %s: %w", r.URL, err)
	}
	return n, os.Remove(packed)
}

// copy writes a source to a file, which must come to the size that the resource says.
func (k *Cache) copy(ctx context.Context, src io.Reader, to string, r nodemanager.Resource) (n int64, err error) {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	limit := r.Size
	if limit <= 0 {
		limit = k.limits.bytes
	}
	// One byte more than allowed shows that there is more; what was written goes with its directory.
	n, err = io.Copy(f, io.LimitReader(archive.Stopping(ctx, src), limit+1))
	if err := errors.Join(err, f.Chmod(fileMode(r)), f.Close()); err != nil {
		return n, err
	}
	switch {
	case r.Size > 0 && n != r.Size:
		return n, changed(r, fmt.Sprintf("it had %d bytes, and came with %d or more", r.Size, n))
	case n > limit:
		return n, fmt.Errorf("resource %s has more than the %d bytes that are allowed", r.URL, limit)
	}
	return n, nil
}

// fileMode is the mode of a file in the cache: it may be read and run.
func fileMode(r nodemanager.Resource) os.FileMode {
	if r.Visibility == yarn.LocalResourceVisibility_PUBLIC {
		return 0o555
	}
	return 0o500
}

// Remove removes a resource that Fetch brought, with its directory.
func (k *Cache) Remove(_ *rpcenv.Blocking, at string) error {
	// A path that is wrong must not cost a directory of something else: only filecache/N below a local directory is removed.
	dir := filepath.Dir(at)
	for _, local := range k.disks.local {
		if strings.HasPrefix(dir, local+string(filepath.Separator)) && filepath.Base(filepath.Dir(dir)) == "filecache" {
			return removeAll(dir)
		}
	}
	return fmt.Errorf("%s is not in the cache", at)
}
