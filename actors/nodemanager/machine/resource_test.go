package machine

import (
	"slices"
	"testing"
)

var resourceRows = []row{
	{"INIT", "REQUEST", "DOWNLOADING Fetch"},
	{"DOWNLOADING", "REQUEST", "same"},
	{"DOWNLOADING", "LOCALIZED", "LOCALIZED TellLocalized"},
	{"DOWNLOADING", "LOCALIZATION_FAILED", "FAILED TellFailed"},
	{"DOWNLOADING LOCALIZED FAILED", "RELEASE", "same"},
	{"LOCALIZED", "REQUEST", "same TellRequester"},
}

func TestEveryEventInEveryStateOfAResource(t *testing.T) {
	checkTable(t, resourceRows, resourceStates, resourceEvents,
		func(s int) string { return ResourceState(s).String() }, func(e int) string { return ResourceEventKind(e).String() },
		func(s, e int) (LocalizedResource, LocalizedResource, string, []Action, error) {
			before := LocalizedResource{State: ResourceState(s), Refs: []string{"c1"}, Used: 1}
			after, actions, err := before.Next(ResourceEvent{Kind: ResourceEventKind(e), Container: "c2", Path: "/p", Size: 5, At: 2})
			return before, after, after.State.String(), actions, err
		})
}

func TestWhoRefersToAResource(t *testing.T) {
	var r LocalizedResource
	for _, c := range []string{"c1", "c2", "c1"} {
		r, _, _ = r.Next(ResourceEvent{Kind: RequestResource, Container: c, At: 1})
	}
	if !slices.Equal(r.Refs, []string{"c1", "c2"}) || r.Used != 1 {
		t.Errorf("%+v", r)
	}
	r, _, _ = r.Next(ResourceEvent{Kind: ResourceCame, Path: "/p", Size: 5})
	r, _, _ = r.Next(ResourceEvent{Kind: ReleaseResource, Container: "c1", At: 7})
	if !slices.Equal(r.Refs, []string{"c2"}) || r.Used != 7 || r.Path != "/p" || r.Size != 5 {
		t.Errorf("%+v", r)
	}
}

func TestAReleaseOfAResourceThatCannotBeHadChangesNothing(t *testing.T) {
	failed := LocalizedResource{State: LocalizeFailed, Refs: []string{"c1"}, Used: 1}
	r, actions, err := failed.Next(ResourceEvent{Kind: ReleaseResource, Container: "c1", At: 7})
	if err != nil || actions != nil || !slices.Equal(r.Refs, []string{"c1"}) || r.Used != 1 {
		t.Errorf("%+v %v %v", r, actions, err)
	}
}
