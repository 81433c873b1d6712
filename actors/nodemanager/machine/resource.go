//coherer:pure

package machine

import "slices"

// ResourceState is where a resource is on its way to this machine. It mirrors
// org.apache.hadoop.yarn.server.nodemanager.containermanager.localizer.ResourceState.
type ResourceState int

// The states of a resource.
const (
	ResourceInit   ResourceState = iota // nobody has asked for it
	Downloading                         // it is fetched
	Localized                           // it is here
	LocalizeFailed                      // it cannot be had: the next request makes a new one
	resourceStates = iota
)

var resourceStateNames = [...]string{"INIT", "DOWNLOADING", "LOCALIZED", "FAILED"}

// String is Hadoop's name.
func (s ResourceState) String() string { return name(resourceStateNames[:], int(s)) }

// ResourceEventKind is what happens to a resource. It mirrors ResourceEventType.
type ResourceEventKind int

// The events of a resource.
const (
	RequestResource ResourceEventKind = iota
	ResourceCame
	LocalizationFailed
	ReleaseResource
	resourceEvents = iota
)

var resourceEventNames = [...]string{"REQUEST", "LOCALIZED", "LOCALIZATION_FAILED", "RELEASE"}

// String is Hadoop's name.
func (k ResourceEventKind) String() string { return name(resourceEventNames[:], int(k)) }

// ResourceEvent is an event of a resource.
type ResourceEvent struct {
	Kind ResourceEventKind
	// Container is the one that requests or releases.
	Container string
	// Path and Size are its place and its size there, in bytes.
	Path string
	Size int64
	// Why is the reason of LocalizationFailed.
	Why string
	// At is when, in ms since 1970: the time of the last release or request says which resource goes first when there are
	// too many.
	At int64
}

// LocalizedResource is a resource of the cache.
type LocalizedResource struct {
	State ResourceState
	// Refs are the containers that use it or wait for it, in the order of their requests.
	Refs []string
	Path string
	Size int64
	// Used is when it was last requested or released, in ms since 1970.
	Used int64
}

// Next is the resource after an event.
func (r LocalizedResource) Next(e ResourceEvent) (LocalizedResource, []Action, error) {
	switch {
	case e.Kind == RequestResource && r.State == ResourceInit:
		return r.refer(e).to(Downloading, Fetch)
	case e.Kind == RequestResource && r.State == Downloading:
		return r.refer(e).to(Downloading)
	case e.Kind == RequestResource && r.State == Localized:
		return r.refer(e).to(Localized, TellRequester)
	case e.Kind == ResourceCame && r.State == Downloading:
		r.Path, r.Size = e.Path, e.Size
		return r.to(Localized, TellLocalized)
	case e.Kind == LocalizationFailed && r.State == Downloading:
		return r.to(LocalizeFailed, TellFailed)
	case e.Kind == ReleaseResource && (r.State == Downloading || r.State == Localized):
		r.Refs = slices.DeleteFunc(slices.Clone(r.Refs), func(c string) bool { return c == e.Container })
		r.Used = e.At
		return r.to(r.State)
	case e.Kind == ReleaseResource && r.State == LocalizeFailed: // containers that heard of the failure release what they did not get
		return r.to(r.State)
	}
	return r, nil, &InvalidTransition{"localized resource", r.State.String(), e.Kind.String()}
}

// refer notes a container that wants the resource, once.
func (r LocalizedResource) refer(e ResourceEvent) LocalizedResource {
	if !slices.Contains(r.Refs, e.Container) {
		r.Refs = append(slices.Clone(r.Refs), e.Container)
	}
	r.Used = e.At
	return r
}

func (r LocalizedResource) to(s ResourceState, actions ...Action) (LocalizedResource, []Action, error) {
	r.State = s
	return r, actions, nil
}
