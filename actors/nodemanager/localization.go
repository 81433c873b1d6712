package nodemanager

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/actors/nodemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// cacheKey is a Key with its owner: user and app are empty for resources that others may use, too.
type cacheKey struct {
	Key
	size      int64
	user, app string
}

// String is a text that no other key has.
func (k cacheKey) String() string {
	return fmt.Sprintf("%q %d %d %d %d %q %s %s", k.URL, k.Timestamp, k.size, k.Type, k.Visibility, k.Pattern, k.user, k.app)
}

// resource is a resource that is here, or on its way.
type resource struct {
	machine.LocalizedResource
	key cacheKey
}

// cache are the resources of this node, in the order of their coming. It mirrors LocalResourcesTrackerImpl.
type cache struct {
	resources []*resource
	byKey     map[cacheKey]*resource
	fetches   int // begun, to spread them over the lanes
}

func newCache() *cache { return &cache{byKey: map[cacheKey]*resource{}} }

// get is the resource of a key. It makes an unknown one.
func (k *cache) get(key cacheKey) *resource {
	r := k.byKey[key]
	if r == nil {
		r = &resource{key: key}
		k.byKey[key] = r
		k.resources = append(k.resources, r)
	}
	return r
}

func (k *cache) drop(r *resource) {
	if k.byKey[r.key] == r { // else a newer one has its key, after a failure
		delete(k.byKey, r.key)
	}
	k.resources = slices.DeleteFunc(k.resources, func(x *resource) bool { return x == r })
}

// dropApplication forgets the resources of an application that has ended: they lie in its directories.
func (k *cache) dropApplication(app string) {
	for _, r := range slices.Clone(k.resources) {
		if r.key.app == app {
			k.drop(r)
		}
	}
}

// links are the names of resources that are here.
func (k *cache) links(wants []want) (out []launch.Link) {
	for _, w := range wants {
		if r := k.byKey[w.key]; r != nil {
			out = append(out, launch.Link{Name: w.link, Target: r.Path})
		}
	}
	return out
}

// surplus are the resources to remove so that the shared ones take no more than target bytes: of those that no container uses,
// the least recently used. It mirrors ResourceLocalizationService's LocalCacheCleaner.
func (k *cache) surplus(target int64) (out []*resource) {
	var total int64
	var idle []*resource
	for _, r := range k.resources {
		if r.State != machine.Localized || r.key.app != "" { // those of an application go with it
			continue
		}
		total += r.Size
		if len(r.Refs) == 0 {
			idle = append(idle, r)
		}
	}
	slices.SortStableFunc(idle, func(a, b *resource) int { return int(min(max(a.Used-b.Used, -1), 1)) })
	for _, r := range idle {
		if total <= target {
			break
		}
		total -= r.Size
		out = append(out, r)
	}
	return out
}

// requestResources requests all resources that a container waits for.
func (n *ContainerManager) requestResources(c *rpcenv.Context, x *container) {
	for _, w := range x.wants {
		if x.State != machine.Localizing { // a failed one has ended it, or the last one has come
			return
		}
		r := n.cache.get(w.key)
		n.resourceEvent(c, r, machine.ResourceEvent{Kind: machine.RequestResource, Container: x.id.String(), At: c.Now().UnixMilli()})
	}
}

// releaseResources releases all resources that a container has or waits for.
func (n *ContainerManager) releaseResources(c *rpcenv.Context, x *container) {
	for _, w := range x.wants {
		if r := n.cache.byKey[w.key]; r != nil && slices.Contains(r.Refs, x.id.String()) {
			n.resourceEvent(c, r, machine.ResourceEvent{Kind: machine.ReleaseResource, Container: x.id.String(), At: c.Now().UnixMilli()})
		}
	}
}

// resourceEvent gives an event to a resource's machine, and carries out its actions. It mirrors LocalizedResource.handle.
func (n *ContainerManager) resourceEvent(c *rpcenv.Context, r *resource, e machine.ResourceEvent) {
	next, actions, err := r.Next(e)
	if err != nil {
		c.Log().WithError(err).Errorf("Can't handle this event at current state: resource %s", r.key.URL)
		return
	}
	from := r.State
	r.LocalizedResource = next
	if from != next.State {
		c.Log().Infof("Resource %s(->%s) transitioned from %s to %s", r.key.URL, next.Path, from, next.State)
	}
	for _, action := range actions {
		switch action {
		case machine.Fetch:
			n.fetch(c, r)
		case machine.TellRequester:
			n.notify(c, r, []string{e.Container}, machine.ContainerEvent{Kind: machine.ResourceLocalized})
		case machine.TellLocalized:
			n.notify(c, r, slices.Clone(r.Refs), machine.ContainerEvent{Kind: machine.ResourceLocalized})
		case machine.TellFailed:
			n.cache.drop(r) // before the containers hear of it: the next request fetches anew
			n.notify(c, r, slices.Clone(r.Refs), machine.ContainerEvent{Kind: machine.ResourceFailed, Diagnostics: e.Why + "\n"})
		}
	}
}

// notify sends containers the event of a resource.
func (n *ContainerManager) notify(c *rpcenv.Context, r *resource, refs []string, e machine.ContainerEvent) {
	e.Resource = r.key.String()
	// A copy: an event may end a container, and the application's last one forgets containers.
	for _, x := range slices.Clone(n.books.containers) {
		if slices.Contains(refs, x.id.String()) {
			n.containerEvent(c, x, e)
		}
	}
}

// fetch brings a resource to this machine, in one of as many lanes as resources may be fetched at once.
func (n *ContainerManager) fetch(c *rpcenv.Context, r *resource) {
	if n.cfg.Localizer == nil {
		n.resourceEvent(c, r, machine.ResourceEvent{Kind: machine.ResourceCame, Path: r.key.URL})
		return
	}
	// A lane runs one body at a time, so the number of lanes bounds the fetches.
	lane := "fetch" + strconv.Itoa(n.cache.fetches%nodeManagerFetchThreads.Get(c.Conf()))
	n.cache.fetches++
	localizer, wanted := n.cfg.Localizer, Resource{Key: r.key.Key, Size: r.key.size, User: r.key.user, App: r.key.app}
	rpcenv.Run(c, lane, func(b *rpcenv.Blocking) (Fetched, error) {
		return localizer.Fetch(b, wanted)
	}, func(got Fetched, err error) {
		if err != nil {
			c.Log().WithError(err).Warnf("Failed to download resource %s", r.key.URL)
			n.resourceEvent(c, r, machine.ResourceEvent{Kind: machine.LocalizationFailed, Why: fmt.Sprintf("Failed to download resource %s: %v", r.key.URL, err)})
			return
		}
		n.resourceEvent(c, r, machine.ResourceEvent{Kind: machine.ResourceCame, Path: got.Path, Size: got.Size})
	})
}

// cleanUpCache removes the surplus of the cache.
func (n *ContainerManager) cleanUpCache(c *rpcenv.Context) {
	localizer := n.cfg.Localizer
	for _, r := range n.cache.surplus(int64(nodeManagerCacheTargetMB.Get(c.Conf())) << 20) {
		// Before the files go: a container that comes now must not find them.
		n.cache.drop(r)
		path := r.Path
		rpcenv.Run(c, "", func(b *rpcenv.Blocking) (struct{}, error) {
			return struct{}{}, localizer.Remove(b, path)
		}, func(_ struct{}, err error) {
			if err != nil {
				c.Log().WithError(err).Errorf("Could not remove %s from the cache", path)
			}
		})
	}
}

// urlText is a URL as text.
func urlText(u *yarn.URL) string {
	host := u.GetHost()
	if u.GetPort() > 0 {
		host = rpcenv.Address{Host: host, Port: int(u.GetPort())}.String()
	}
	if u.GetUserInfo() != "" {
		host = u.GetUserInfo() + "@" + host
	}
	scheme := u.GetScheme()
	if scheme == "" {
		scheme = "file"
	}
	return scheme + "://" + host + u.GetFile()
}
