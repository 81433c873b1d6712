package yarnclient

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient/distcache"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Config is what a client is to do: one of Submit, Kill and Status.
type Config struct {
	// ResourceManager is where its Env listens.
	ResourceManager rpcenv.Address
	// Submit is an application to submit.
	Submit *Submission
	// Kill and Status are the id of an application to end, or to show.
	Kill, Status string
	// Listener hears what becomes of a submission in client mode; the zero Ref: nobody, and the process ends with the
	// application.
	Listener rpcenv.Ref
}

// Submission is an application to submit. Its settings are those of the Env.
type Submission struct {
	Mode submit.Mode
	// Name is for people; User submits.
	Name, User string
	// Program is the path of the application's program, Library that of coherer's own, which client mode needs.
	Program, Library string
	// Class is the program's name, Jar where it came from; empty for a built-in one. Args are the application's.
	Class, Jar string
	Args       []string
	// Driver is where the driver listens, in client mode.
	Driver rpcenv.Address
	Files  Files
}

// Files stages the files of an application. Its methods may be called from several bodies at once; an error says what to do.
type Files interface {
	// Home is the URI, without a slash at its end, of the directory under which staging directories lie when nothing is set.
	Home() (string, error)
	// Copy copies the file at path, or file: URI, to dir/name. The directory is made if it is missing, for its owner alone;
	// the copy can be read by all.
	Copy(b *rpcenv.Blocking, dir, name, path string) (Staged, error)
	// Archive writes entries into a zip file dir/name.
	Archive(b *rpcenv.Blocking, dir, name string, entries []ArchiveEntry) (Staged, error)
	// Remove removes a staging directory; one that is gone is no error.
	Remove(b *rpcenv.Blocking, dir string) error
}

// Staged is a file in a staging directory.
type Staged struct {
	// URI is where it lies.
	URI string
	// Size in bytes; Timestamp, its modification in milliseconds since 1970.
	Size, Timestamp int64
	Visibility      yarn.LocalResourceVisibility
}

// ArchiveEntry is a file in an archive.
type ArchiveEntry struct{ Name, Content string }

// entry is the file as what a container wants under a name.
func (s Staged) entry(link string, t yarn.LocalResourceType) distcache.Entry {
	return distcache.Entry{Link: link, URI: s.URI, Size: s.Size, Timestamp: s.Timestamp, Type: t, Visibility: s.Visibility}
}

// Validate reports all problems at once.
func (cfg Config) Validate(c *conf.Conf) error {
	var problems []error
	if cfg.ResourceManager.IsZero() {
		problems = append(problems, errors.New("a client needs the ResourceManager's address (yarn.resourcemanager.address)"))
	}
	actions := 0
	if cfg.Submit != nil {
		actions++
		problems = append(problems, cfg.Submit.validate(c))
	}
	for _, id := range []string{cfg.Kill, cfg.Status} {
		if id == "" {
			continue
		}
		actions++
		_, err := ids.ParseApplication(id)
		problems = append(problems, err)
	}
	if actions != 1 {
		problems = append(problems, fmt.Errorf("a client does one thing, not %d: submit, kill or status", actions))
	}
	return errors.Join(problems...)
}

func (s *Submission) validate(c *conf.Conf) error {
	var problems []error
	add := func(bad bool, text string) {
		if bad {
			problems = append(problems, errors.New(text))
		}
	}
	add(s.Files == nil, "a submission needs a place for its files")
	add(s.Program == "", "a submission needs the application's program")
	add(s.Mode == submit.Client && (s.Driver.IsZero() || s.Library == ""), "client mode needs the driver's address and coherer's own program")
	add(s.Mode == submit.Cluster && s.Class == "", "cluster mode needs the name of the program")
	add(yarnUnmanagedAM.Get(c), yarnUnmanagedAM.Key()+" is not done here: leave it out, the ApplicationMaster gets a container")
	_, archive := yarnArchive.Find(c)
	add(archive, yarnArchive.Key()+" means nothing to a Go program: leave it out")
	return errors.Join(problems...)
}
