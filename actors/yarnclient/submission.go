package yarnclient

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient/distcache"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// submit goes Spark's way (Client.submitApplication): an id, a directory, the check of sizes, the files, the submission.
func (e *Client) submit(c *rpcenv.Context) {
	c.Log().Info("Requesting a new application from cluster")
	rmproxy.Ask(&e.proxy, c, e.service, &yarn.GetNewApplicationRequest{}, func(r *yarn.GetNewApplicationResponse, err error) {
		if err == nil {
			e.id, err = ids.ApplicationFrom(r.GetApplicationId())
		}
		if err == nil {
			err = verify(c.Conf(), e.cfg.Submit.Mode, r.GetMaximumCapability())
		}
		if e.over { // GiveUp came meanwhile
			return
		}
		if err != nil {
			e.fail(c, err)
			return
		}
		size := submit.AMContainer(c.Conf(), e.cfg.Submit.Mode)
		c.Log().Infof("Will allocate AM container, with %d MB memory including %d MB overhead", size.MemoryMB(), size.OverheadMB)
		e.stage(c)
	})
}

// stage copies the files, then hands the application in.
func (e *Client) stage(c *rpcenv.Context) {
	s, settings := e.cfg.Submit, c.Conf()
	items, warnings, err := s.plan(settings)
	if err != nil {
		e.fail(c, err)
		return
	}
	for _, w := range warnings {
		c.Log().Warn(w)
	}
	base, err := s.base(settings)
	if err != nil {
		e.fail(c, err)
		return
	}
	c.Log().Info("Preparing resources for our AM container")
	// Set before the copy begins, so that whatever ends the client removes the directory.
	e.staging = base + "/.sparkStaging/" + e.id.String()
	dir := e.staging
	rpcenv.Run(c, "staging", func(b *rpcenv.Blocking) ([]distcache.Entry, error) { return s.copyAll(b, settings, dir, items) },
		func(resources []distcache.Entry, err error) {
			if e.givenUp != nil { // only now, as the copy would have made the directory again
				e.clean(c, e.givenUp)
				return
			}
			if err != nil {
				e.fail(c, fmt.Errorf("stage the application's files: %w", err))
				return
			}
			e.handIn(c, dir, resources)
		})
}

// base is the URI of the directory in which staging directories lie.
func (s *Submission) base(c *conf.Conf) (string, error) {
	dir, set := YARNStagingDir.Find(c)
	if !set {
		return s.Files.Home()
	}
	uri := "file:" + (&url.URL{Path: strings.TrimRight(dir, "/")}).EscapedPath()
	if s.User != "" {
		uri += "/" + s.User
	}
	return uri, nil
}

// copyAll stages the files and the archive of settings. A file that is wanted under two names is copied once.
func (s *Submission) copyAll(b *rpcenv.Blocking, c *conf.Conf, dir string, items []item) ([]distcache.Entry, error) {
	var all, executors []distcache.Entry
	copies := map[string]Staged{}
	for _, it := range items {
		staged, done := copies[it.source]
		if !done {
			var err error
			if staged, err = s.Files.Copy(b, dir, fileName(it.link), it.source); err != nil {
				return nil, err
			}
			copies[it.source] = staged
		}
		entry := staged.entry(it.link, it.kind)
		all = append(all, entry)
		if !it.master {
			executors = append(executors, entry)
		}
	}
	settings, err := s.Files.Archive(b, dir, confArchive, archive(c, executors, dir+"/"+confArchive))
	if err != nil {
		return nil, err
	}
	entry := settings.entry(confLink, yarn.LocalResourceType_ARCHIVE)
	entry.Visibility = yarn.LocalResourceVisibility_PRIVATE // the settings may have secrets
	return append(all, entry), nil
}

// handIn submits the application and waits until it is accepted.
func (e *Client) handIn(c *rpcenv.Context, dir string, resources []distcache.Entry) {
	s := e.cfg.Submit
	launch, err := s.launchContext(c.Conf(), dir, resources)
	if err != nil {
		e.fail(c, err)
		return
	}
	c.Log().Infof("Submitting application %s to ResourceManager", e.id)
	// Before the ask: a GiveUp that comes while it is out must end an application that the ResourceManager may have.
	e.handed = &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: s.submissionContext(c.Conf(), e.id, launch)}
	rmproxy.Ask(&e.proxy, c, e.service, e.handed, func(_ *yarn.SubmitApplicationResponse, err error) {
		if e.over {
			return
		}
		if err != nil {
			e.fail(c, err)
			return
		}
		e.beginPolling(c)
		e.report(c)
	})
}

// handInAgain submits again an application that a ResourceManager forgot before it had accepted it.
func (e *Client) handInAgain(c *rpcenv.Context) {
	// No poll meanwhile: it would find the application missing again.
	e.asking = true
	rmproxy.Ask(&e.proxy, c, e.service, e.handed, func(_ *yarn.SubmitApplicationResponse, err error) {
		e.asking = false
		if err != nil {
			e.fail(c, err)
		}
	})
}

// polled handles a report of an application that is not accepted yet.
func (e *Client) polled(c *rpcenv.Context, r *yarn.ApplicationReport) {
	state := r.GetYarnApplicationState()
	switch {
	case state == yarn.YarnApplicationState_FAILED || state == yarn.YarnApplicationState_KILLED:
		e.fail(c, fmt.Errorf("Failed to submit %s to YARN : %s%s", e.id, r.GetDiagnostics(), hint(r.GetDiagnostics(), e.cfg.Submit.User)))
	case accepted(state):
		// The ResourceManager has stored the submission: a restart does not lose it any more.
		c.Cancel(e.polls)
		c.Log().Infof("Submitted application %s", e.id)
		if !e.cfg.Listener.IsZero() {
			c.Send(e.cfg.Listener, Submitted{AppID: e.id.String()})
		}
		if e.fireAndForget(c.Conf()) {
			e.report(c)
			return
		}
		e.watch(c)
	default:
		if most := yarnPollTimeout.Get(c.Conf()); most >= 0 && c.Now().Sub(e.began) >= most {
			e.fail(c, fmt.Errorf("Timed out while waiting for application %s to be submitted successfully (%s)", e.id, yarnPollTimeout.Key()))
		}
	}
}
