package container

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
)

// Directories makes and removes the directories of containers and applications on a node's disks.
type Directories struct {
	disks *Disks
	// inherited are the names of the variables that a container inherits from its node.
	inherited []string
	getenv    func(string) (string, bool)
}

var _ nodemanager.Containers = (*Directories)(nil)

// NewDirectories makes Directories on disks. inherited are the names of variables that a container has from its node, as
// getenv knows them, unless it sets them itself.
func NewDirectories(disks *Disks, inherited []string, getenv func(string) (string, bool)) *Directories {
	return &Directories{disks: disks, inherited: inherited, getenv: getenv}
}

// Prepare makes a container's directories, and writes its credentials and its script there. What was made of one that fails is
// removed.
func (d *Directories) Prepare(_ *rpcenv.Blocking, c launch.Container) (_ launch.Container, err error) {
	if err := errors.Join(ids.Check("user", c.User), ids.Check("application", c.App), ids.Check("container", c.ID)); err != nil {
		return c, err
	}
	again := c.Dir != "" // it failed, and is started again in its directories, which then outlive an error
	if !again {
		if c, err = d.place(c); err != nil {
			return c, err
		}
	}
	defer func() {
		if err != nil && !again {
			err = errors.Join(err, os.RemoveAll(c.Dir))
		}
	}()
	for _, dir := range append(append([]string{filepath.Join(c.Dir, "tmp")}, c.LocalDirs...), c.LogDirs...) {
		if err := os.MkdirAll(dir, 0o710); err != nil {
			return c, failed(fmt.Errorf("directory of container %s: %w", c.ID, err))
		}
	}
	if len(c.Tokens) > 0 {
		if err := write(filepath.Join(c.Dir, launch.TokenFile), c.Tokens, 0o600); err != nil {
			return c, failed(fmt.Errorf("credentials of container %s: %w", c.ID, err))
		}
	}
	if err := write(filepath.Join(c.Dir, launch.ScriptFile), []byte(c.Script(process.ParentFD)), 0o700); err != nil {
		return c, failed(fmt.Errorf("script of container %s: %w", c.ID, err))
	}
	return c, nil
}

// place says where a container's directories are.
func (d *Directories) place(c launch.Container) (launch.Container, error) {
	local, err := d.disks.pick(d.disks.local)
	if err != nil {
		return c, err
	}
	logs, err := d.disks.pick(d.disks.logs)
	if err != nil {
		return c, err
	}
	// The container works on the disk with the most room, and gets one directory on each good disk for its own files.
	for _, dir := range d.disks.good(d.disks.local) {
		c.LocalDirs = append(c.LocalDirs, appDir(dir, c.User, c.App))
		c.UserDirs = append(c.UserDirs, filepath.Join(dir, "usercache", c.User))
	}
	for _, dir := range d.disks.good(d.disks.logs) {
		c.LogDirs = append(c.LogDirs, filepath.Join(dir, c.App, c.ID))
	}
	c.Dir, c.LogDir = filepath.Join(appDir(local, c.User, c.App), c.ID), filepath.Join(logs, c.App, c.ID)
	for _, name := range d.inherited {
		if value, ok := d.getenv(name); ok && launch.ValidName(name) {
			c.Inherited = append(c.Inherited, launch.Variable{Name: name, Value: value})
		}
	}
	return c, nil
}

func appDir(local, user, app string) string {
	return filepath.Join(local, "usercache", user, "appcache", app)
}

// write writes a file with a mode, also in place of one with another mode.
func write(path string, text []byte, mode os.FileMode) error {
	// Credentials in a file that others have open already would be theirs; os.WriteFile keeps the mode of a file that exists.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, text, mode)
}

// tail is how many bytes of each output a container's diagnostics have.
const tail = 4096

// Output is the end of the stderr of a container's script and of its command.
func (d *Directories) Output(_ *rpcenv.Blocking, c launch.Container) string {
	var text strings.Builder
	text.WriteString("Error file: prelaunch.err.\n")
	for _, name := range []string{"prelaunch.err", "stderr"} {
		if said := lastBytes(filepath.Join(c.LogDir, name)); said != "" || name == "prelaunch.err" {
			fmt.Fprintf(&text, "Last %d bytes of %s :\n%s\n", tail, name, said)
		}
	}
	return text.String()
}

// lastBytes is the end of a file, for people: "" of one that cannot be read.
func lastBytes(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-tail), tail))
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(text), "?")
}

// Remove removes a container's work directory.
func (d *Directories) Remove(_ *rpcenv.Blocking, c launch.Container) error {
	// A container that was never placed has no Dir: removing that would remove the current directory.
	if ids.Check("container", c.ID) != nil || filepath.Base(c.Dir) != c.ID {
		return fmt.Errorf("%.*q is no directory of a container", ids.Max, c.Dir)
	}
	return removeAll(c.Dir)
}

// RemoveApplication removes an application's directories on all disks.
func (d *Directories) RemoveApplication(_ *rpcenv.Blocking, user, app string) error {
	if err := errors.Join(ids.Check("user", user), ids.Check("application", app)); err != nil {
		return err
	}
	var errs []error
	for _, local := range d.disks.local {
		errs = append(errs, removeAll(appDir(local, user, app)))
	}
	return errors.Join(errs...)
}
