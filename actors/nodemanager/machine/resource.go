//coherer:pure

package machine

import (
	"slices"

	"github.com/coherer/coherer/actors/machine"
)

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

// String is Hadoop's name.
func (s ResourceState) String() string {
	return machine.Name(int(s), "INIT", "DOWNLOADING", "LOCALIZED", "FAILED")
}

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

// String is Hadoop's name.
func (k ResourceEventKind) String() string {
	return machine.Name(int(k), "REQUEST", "LOCALIZED", "LOCALIZATION_FAILED", "RELEASE")
}

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

type resourceRule = machine.Rule[ResourceState, ResourceEventKind, last, Action]

var resourceTable = machine.New("the localized resource", []resourceRule{
	{From: []ResourceState{ResourceInit}, On: RequestResource, To: Downloading, Do: []Action{Fetch}},
	{From: []ResourceState{Downloading}, On: RequestResource, To: machine.Stay},
	{From: []ResourceState{Localized}, On: RequestResource, To: machine.Stay, Do: []Action{TellRequester}},
	{From: []ResourceState{Downloading}, On: ResourceCame, To: Localized, Do: []Action{TellLocalized}},
	{From: []ResourceState{Downloading}, On: LocalizationFailed, To: LocalizeFailed, Do: []Action{TellFailed}},
	{From: []ResourceState{Downloading, Localized}, On: ReleaseResource, To: machine.Stay},
	// Containers that heard of the failure release what they did not get.
	{From: []ResourceState{LocalizeFailed}, On: ReleaseResource, To: machine.Stay, Late: true},
})

// Next is the resource after an event.
func (r LocalizedResource) Next(e ResourceEvent) (LocalizedResource, []Action, error) {
	out, err := resourceTable.Step(r.State, ResourceInit, e.Kind, false)
	if err != nil || out.Late {
		return r, nil, err
	}
	switch e.Kind {
	case RequestResource:
		if !slices.Contains(r.Refs, e.Container) {
			r.Refs = append(slices.Clone(r.Refs), e.Container)
		}
		r.Used = e.At
	case ResourceCame:
		r.Path, r.Size = e.Path, e.Size
	case ReleaseResource:
		r.Refs = slices.DeleteFunc(slices.Clone(r.Refs), func(c string) bool { return c == e.Container })
		r.Used = e.At
	}
	r.State = out.State
	return r, out.Do, nil
}
