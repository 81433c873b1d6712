package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/archive"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/transport"
)

// filesDir is where this process has the application's files. It is written before the user's program begins.
var filesDir = "."

// FilePath is where this process has a file of --files, or the directory of an archive of --archives, by its name: in an executor its
// working directory, in a driver a directory of their own. It mirrors SparkFiles.get.
func FilePath(name string) string { return filepath.Join(filesDir, name) }

// userFile is one of spark.files or, with a directory to unpack it into, of spark.archives.
type userFile struct {
	key  string // of its setting
	path string // at the driver
	name string
	into string // "" for a file
}

// The bounds of an archive: those of a resource of YARN.
const (
	maxArchiveBytes   = 10 << 30
	maxArchiveEntries = 1 << 20
)

// userFilesOf are the files and archives of an application. An archive is unpacked under the name behind its #, else under its own.
func userFilesOf(c *conf.Conf) ([]userFile, error) {
	var out []userFile
	var problems []error
	for _, setting := range []*conf.Entry[[]string]{submit.Files, submit.Archives} {
		for _, uri := range setting.Get(c) {
			f, err := newUserFile(setting.Key(), uri)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s: %s: %w", setting.Key(), uri, err))
			}
			out = append(out, f)
		}
	}
	return out, errors.Join(problems...)
}

func newUserFile(key, uri string) (userFile, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return userFile{}, err
	}
	if u.Host != "" || u.Scheme != "" && u.Scheme != "file" && u.Scheme != "local" {
		return userFile{}, fmt.Errorf("the driver serves files of its machine: fetch it first, and name its path")
	}
	f := userFile{key: key, path: u.Path, name: filepath.Base(u.Path)}
	if f.path == "" {
		f.path = u.Opaque // file:name, without a slash
		f.name = filepath.Base(f.path)
	}
	if key == submit.Archives.Key() {
		if f.into = u.Fragment; f.into == "" {
			f.into = f.name
		}
		if !archive.Known(f.name) {
			return f, fmt.Errorf("it is no archive: want .zip, .jar, .tar.gz, .tgz or .tar")
		}
		if filepath.Base(f.into) != f.into {
			return f, fmt.Errorf("%q is no name of a directory", f.into)
		}
	}
	return f, nil
}

// shareFiles serves the application's files to executors, and brings them into a directory of the driver's own. done removes it.
func shareFiles(ctx context.Context, c *conf.Conf, host *transport.Host, at rpcenv.Address) (done func() error, err error) {
	done = func() error { return nil }
	files, err := userFilesOf(c)
	if err != nil || len(files) == 0 {
		return done, err
	}
	server, err := host.FileServer(at)
	if err != nil {
		return done, err
	}
	for _, f := range files {
		if _, err := server.AddFile(f.name, f.path); err != nil {
			return done, fmt.Errorf("%s: %w", f.key, err)
		}
	}
	root := ""
	if dirs := known.LocalDir.Get(c); len(dirs) > 0 {
		root = dirs[0]
	}
	dir, err := os.MkdirTemp(root, "userFiles-")
	if err != nil {
		return done, fmt.Errorf("%w: name a directory that can be written with %s", err, known.LocalDir.Key())
	}
	filesDir = dir
	return func() error { return os.RemoveAll(dir) }, fetchFiles(ctx, files, at, dir)
}

// fetchFiles brings the application's files from its driver into a directory. It mirrors Executor.updateDependencies.
func fetchFiles(ctx context.Context, files []userFile, driver rpcenv.Address, dir string) error {
	for _, f := range files {
		if err := f.fetch(ctx, driver, dir); err != nil {
			return fmt.Errorf("%s: fetch %s from the driver: %w", f.key, f.name, err)
		}
	}
	return nil
}

// fetchForExecutor brings the application's files into the working directory of an executor.
func fetchForExecutor(c *conf.Conf, driverURL string) error {
	files, err := userFilesOf(c)
	if err != nil || len(files) == 0 {
		return err
	}
	driver, _, err := rpcenv.ParseURI(driverURL)
	if err != nil {
		return err
	}
	return fetchFiles(context.Background(), files, driver, ".")
}

func (f userFile) fetch(ctx context.Context, driver rpcenv.Address, dir string) (err error) {
	at := filepath.Join(dir, f.name)
	if f.into != "" {
		at += ".packed" // its directory may have the same name
	}
	// What is there already is something else: the directory is this process's own.
	to, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	err = fetchFile(ctx, driver.SparkURL()+"/files/"+url.PathEscape(f.name), to)
	if err := errors.Join(err, to.Close()); err != nil || f.into == "" {
		return err
	}
	_, err = archive.Unpack(ctx, at, f.name, filepath.Join(dir, f.into), archive.Limits{Mode: 0o700, Bytes: maxArchiveBytes, Entries: maxArchiveEntries})
	return errors.Join(err, os.Remove(at))
}
