package app

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/actors/yarnclient/distcache"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Staging has the files of applications on YARN in directories of this machine, which its NodeManagers see.
type Staging struct{}

var _ yarnclient.Files = Staging{}

// The permissions of Spark's Client: a staging directory is its owner's alone, the files in it can be read by all.
const (
	stagingDirMode  = 0o700
	stagingFileMode = 0o644
)

// Home is the user's home directory.
func (Staging) Home() (string, error) {
	home, err := os.UserHomeDir()
	if err == nil {
		home, err = filepath.Abs(home) // others read it in other working directories
	}
	if err != nil {
		return "", fmt.Errorf("%w: set spark.yarn.stagingDir", err)
	}
	return fileURI(home), nil
}

func fileURI(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

// pathOf is the path of a file: URI or of a plain path.
func pathOf(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	u, err := distcache.URL(name)
	return u.GetFile(), err
}

// Copy copies a regular file into a staging directory.
func (s Staging) Copy(b *rpcenv.Blocking, dir, name, path string) (yarnclient.Staged, error) {
	from, err := pathOf(path)
	if err != nil {
		return yarnclient.Staged{}, err
	}
	in, err := os.Open(from)
	if err != nil {
		return yarnclient.Staged{}, err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return yarnclient.Staged{}, errors.Join(err, fmt.Errorf("%s is no regular file: name a file, not a folder", from))
	}
	return s.write(b, dir, name, func(out io.Writer) error {
		_, err := io.Copy(out, in)
		return err
	})
}

// Archive writes a zip file into a staging directory.
func (s Staging) Archive(b *rpcenv.Blocking, dir, name string, entries []yarnclient.ArchiveEntry) (yarnclient.Staged, error) {
	return s.write(b, dir, name, func(out io.Writer) error {
		z := zip.NewWriter(out)
		for _, e := range entries {
			w, err := z.Create(e.Name)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(w, e.Content); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// write makes a file in a staging directory, which it makes first.
func (Staging) write(b *rpcenv.Blocking, dir, name string, content func(io.Writer) error) (yarnclient.Staged, error) {
	// Between two files: when the client ends, the rest need not be copied.
	if b.Done() {
		return yarnclient.Staged{}, context.Cause(b.Context())
	}
	at, err := pathOf(dir)
	if err != nil {
		return yarnclient.Staged{}, err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return yarnclient.Staged{}, fmt.Errorf("%w: name another directory with spark.yarn.stagingDir", err)
	}
	if err := os.MkdirAll(at, stagingDirMode); err != nil {
		return yarnclient.Staged{}, err
	}
	path := filepath.Join(at, name)
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, stagingFileMode)
	if err != nil {
		return yarnclient.Staged{}, err
	}
	err = content(out)
	// Chmod, as the process's umask has taken bits from the mode of OpenFile.
	if err := errors.Join(err, out.Chmod(stagingFileMode), out.Close()); err != nil {
		return yarnclient.Staged{}, fmt.Errorf("%w: free some space there, or name another directory with spark.yarn.stagingDir", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return yarnclient.Staged{}, err
	}
	return yarnclient.Staged{
		URI: fileURI(path), Size: info.Size(), Timestamp: info.ModTime().Truncate(time.Millisecond).UnixMilli(), Visibility: visibility(path),
	}, nil
}

// visibility is PUBLIC when everybody can read a file and enter every directory above it. It mirrors
// ClientDistributedCacheManager.isPublic.
func visibility(path string) yarn.LocalResourceVisibility {
	need := fs.FileMode(0o004)
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil || info.Mode().Perm()&need == 0 {
			return yarn.LocalResourceVisibility_PRIVATE
		}
		if at == filepath.Dir(at) {
			return yarn.LocalResourceVisibility_PUBLIC
		}
		need = 0o001 // of the directories above
	}
}

// Remove removes a staging directory, which must be one by its name.
func (Staging) Remove(_ *rpcenv.Blocking, dir string) error {
	path, err := pathOf(dir)
	if err != nil {
		return err
	}
	// The name came by an environment variable: a wrong one must not remove another directory.
	if filepath.Base(filepath.Dir(path)) != ".sparkStaging" {
		return fmt.Errorf("%s is no staging directory of an application: it is left as it is", path)
	}
	return os.RemoveAll(path)
}
