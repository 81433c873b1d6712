package nodemanager

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/nodemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
)

// Spec 2.10: what is the same is fetched once; a container that comes later has it at once.
func TestAResourceIsFetchedOnce(t *testing.T) {
	k := newKit(t)
	f := &fakes{wait: time.Second}
	k.join(Config{Localizer: f}, nil)
	l := withResources(resourceOf("a", "/a", yarn.LocalResourceVisibility_PUBLIC), resourceOf("b", "/a", yarn.LocalResourceVisibility_PUBLIC))
	k.run(1, l)
	k.running(2, l)
	k.running(3, l)
	if f.count("fetch file:///a  ") != 1 {
		t.Errorf("%q", f.log)
	}
	k.w.Advance(2 * time.Second)
	if len(k.started) != 3 {
		t.Errorf("%d processes", len(k.started))
	}
	newer := resourceOf("a", "/a", yarn.LocalResourceVisibility_PUBLIC)
	newer.Value.Timestamp++
	private := resourceOf("b", "/a", yarn.LocalResourceVisibility_PRIVATE)
	k.running(4, withResources(newer, private))
	if f.count("fetch file:///a  ") != 2 || f.count("fetch file:///a ann ") != 1 {
		t.Errorf("%q", f.log)
	}
}

// real-yarn D18: a resource that cannot be had ends the container with status -1000; the next container tries again.
func TestAResourceThatCannotBeHad(t *testing.T) {
	k := newKit(t)
	f := &fakes{fail: map[string]error{"file:///gone": errors.New("File file:/gone does not exist")}}
	k.join(Config{Localizer: f}, nil)
	l := withResources(resourceOf("a", "/gone", yarn.LocalResourceVisibility_PUBLIC), resourceOf("b", "/b", yarn.LocalResourceVisibility_PUBLIC))
	id := k.run(1, l)
	if s := k.reported(id, yarn.ContainerState_C_COMPLETE); text(s) != "C_COMPLETE -1000 Failed to download resource file:///gone: File file:/gone does not exist|" {
		t.Errorf("%s", text(s))
	}
	delete(f.fail, "file:///gone")
	k.running(2, l)
}

// What one application alone may use goes with it: when it comes again it is fetched again. What all may use stays.
func TestAnApplicationsResourcesGoWithIt(t *testing.T) {
	k := newKit(t)
	f := &fakes{}
	k.join(Config{Localizer: f}, nil)
	l := withResources(resourceOf("a", "/a", yarn.LocalResourceVisibility_APPLICATION), resourceOf("b", "/b", yarn.LocalResourceVisibility_PUBLIC))
	k.running(1, l)
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
	k.reported(containerID(app1, 1), yarn.ContainerState_C_COMPLETE)
	k.w.Advance(2 * time.Second)
	k.running(2, l)
	if f.count("fetch file:///a ann "+app1.String()) != 2 || f.count("fetch file:///b  ") != 1 {
		t.Errorf("%q", f.log)
	}
}

// Spec 1.6: at most yarn.nodemanager.localizer.fetch.thread-count resources are fetched at once.
func TestFetchesAtOnce(t *testing.T) {
	k := newKit(t)
	f := &fakes{wait: time.Second}
	k.join(Config{Localizer: f}, map[string]string{"yarn.nodemanager.localizer.fetch.thread-count": "2"})
	var all []*yarn.StringLocalResourceMap
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		all = append(all, resourceOf(name, "/"+name, yarn.LocalResourceVisibility_PUBLIC))
	}
	k.run(1, withResources(all...))
	for _, want := range []int{2, 4, 5} {
		if len(f.log) != want {
			t.Errorf("%d are fetched: %q", want, f.log)
		}
		k.w.Advance(1010 * time.Millisecond)
	}
}

// Spec 2.10: above its target the cache loses what nobody uses, oldest first.
func TestTheCacheIsCleanedUpOldestFirst(t *testing.T) {
	k := newCache()
	add := func(url string, size, used int64, refs ...string) {
		r := k.get(cacheKey{Key: Key{URL: url}})
		r.LocalizedResource = machine.LocalizedResource{State: machine.Localized, Size: size, Used: used, Refs: refs}
	}
	add("used", 50, 1, "c1")
	add("old", 30, 2)
	add("older", 30, 1)
	add("young", 30, 9)
	k.get(cacheKey{Key: Key{URL: "of an application"}, app: "a"}).LocalizedResource = machine.LocalizedResource{State: machine.Localized, Size: 1000}
	k.get(cacheKey{Key: Key{URL: "under way"}}).State = machine.Downloading
	for target, want := range map[int64]string{140: "", 139: "older", 100: "older old", 0: "older old young"} {
		var got []string
		for _, r := range k.surplus(target) {
			got = append(got, r.key.URL)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d: %v, want %s", target, got, want)
		}
	}
}

func TestTheCacheIsLookedAtNowAndThen(t *testing.T) {
	k := newKit(t)
	f := &fakes{}
	k.join(Config{Localizer: f}, map[string]string{
		"yarn.nodemanager.localizer.cache.target-size-mb": "0", "yarn.nodemanager.localizer.cache.cleanup.interval-ms": "60000",
	})
	k.running(1, withResources(resourceOf("a", "/a", yarn.LocalResourceVisibility_PUBLIC)))
	k.w.Advance(time.Minute)
	if slices.Contains(f.log, "remove /cache/a") {
		t.Error("what is used is removed")
	}
	k.children[0].Exit(0)
	k.w.Advance(time.Minute)
	if f.count("remove /cache/a") != 1 {
		t.Errorf("%q", f.log)
	}
}

func TestURLs(t *testing.T) {
	for want, u := range map[string]*yarn.URL{
		"file:///a":                     {Scheme: "file", File: "/a"},
		"file:///b":                     {File: "/b"},
		"https://user:x@h:8443/c":       {Scheme: "https", Host: "h", Port: 8443, UserInfo: "user:x", File: "/c"},
		"http://[::1]:80/d":             {Scheme: "http", Host: "::1", Port: 80, File: "/d"},
		"http://example.com/d?query=it": {Scheme: "http", Host: "example.com", File: "/d?query=it"},
	} {
		if got := urlText(u); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// What takes the place of a resource that was dropped while it was under way stays when the dropped one fails.
func TestAResourceThatIsDroppedTwiceTakesNoOtherWithIt(t *testing.T) {
	k := newCache()
	key := cacheKey{Key: Key{URL: "a"}, app: "x"}
	old := k.get(key)
	k.dropApplication("x")
	anew := k.get(key)
	k.drop(old)
	if k.get(key) != anew || len(k.resources) != 1 {
		t.Errorf("%+v", k.resources)
	}
	k.dropApplication("y")
	if k.get(key) != anew {
		t.Error("it goes with another application")
	}
	k.drop(anew)
	if len(k.resources) != 0 || k.get(key) == anew {
		t.Errorf("%+v", k.resources)
	}
}

// Of resources of the same age the one that came first goes first; those that were used after each other go in that order.
func TestTheOrderOfTheCache(t *testing.T) {
	k := newCache()
	for _, r := range []struct {
		url  string
		used int64
	}{{"c", 1 << 40}, {"a", 3}, {"b", 3}, {"d", 2}} {
		k.get(cacheKey{Key: Key{URL: r.url}}).LocalizedResource = machine.LocalizedResource{State: machine.Localized, Size: 1, Used: r.used}
	}
	got := ""
	for _, r := range k.surplus(0) {
		got += r.key.URL
	}
	if got != "dabc" {
		t.Errorf("%s", got)
	}
}

// A container that has ended gives its resources back: the cache may lose them, first what was given back first. What cannot be
// removed is logged.
func TestWhatIsGivenBackMayGo(t *testing.T) {
	k := newKit(t)
	f := &fakes{fail: map[string]error{"remove": errors.New("it is in use")}}
	k.join(Config{Localizer: f}, map[string]string{
		"yarn.nodemanager.localizer.cache.target-size-mb": "3", "yarn.nodemanager.localizer.cache.cleanup.interval-ms": "60000",
	})
	of := func(name string) *yarn.StringLocalResourceMap {
		r := resourceOf(name, "/"+name, yarn.LocalResourceVisibility_PUBLIC)
		r.Value.Size = 1 << 20
		return r
	}
	k.running(1, withResources(of("a"), of("b")))
	k.running(2, withResources(of("c"), of("a")))
	k.running(3, withResources(of("d")))
	k.children[1].Exit(0) // c is nobody's, a is still the first's
	k.w.Advance(time.Second)
	k.children[2].Exit(0) // d is nobody's
	k.w.Advance(time.Minute)
	if got := strings.Join(f.log[4:], " "); got != "remove /cache/c" {
		t.Errorf("%s", got)
	}
	want := []string{"error Could not remove /cache/c from the cache: it is in use"}
	if got := k.lines("Could not remove"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	k.running(4, withResources(of("c"), of("b"), of("d")))
	if len(f.fetched) != 5 || f.fetched[4].URL != "file:///c" {
		t.Errorf("%+v", f.fetched)
	}
}

// The containers that want a resource hear of it, and no others; a container with two names for one thing starts once.
func TestAResourceIsToldToThoseThatWantIt(t *testing.T) {
	k := newKit(t)
	f := &fakes{wait: time.Second, fail: map[string]error{"file:///b": errors.New("gone")}}
	k.join(Config{Localizer: f}, nil)
	a := k.run(1, withResources(resourceOf("x", "/a", yarn.LocalResourceVisibility_PUBLIC), resourceOf("y", "/a", yarn.LocalResourceVisibility_PUBLIC)))
	k.w.Advance(500 * time.Millisecond)
	b := k.run(2, withResources(resourceOf("x", "/b", yarn.LocalResourceVisibility_PUBLIC)))
	k.w.Advance(600 * time.Millisecond)
	if got := k.status(b); len(k.started) != 1 || got != "C_RUNNING -1000" {
		t.Errorf("%d processes, the other container is %s", len(k.started), got)
	}
	k.w.Advance(500 * time.Millisecond)
	if got := k.status(b); len(k.started) != 1 || got != "C_COMPLETE -1000 Failed to download resource file:///b: gone|" {
		t.Errorf("%d processes, the other container is %s", len(k.started), got)
	}
	if got := k.status(a); got != "C_RUNNING -1000" {
		t.Errorf("%s", got)
	}
	if got := k.lines("Failed to download"); !slices.Equal(got, []string{"warning Failed to download resource file:///b: gone"}) {
		t.Errorf("%q", got)
	}
}
