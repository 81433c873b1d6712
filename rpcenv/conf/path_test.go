package conf

import (
	"slices"
	"strings"
	"testing"
)

func TestPathsArePlainOrOfThisMachine(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "/a": "/a", "a/b": "a/b", " /a:b ": "/a:b", "./a:b": "./a:b", "/50%": "/50%", "/a%20b": "/a%20b",
		"file:/a": "/a", "file:///a": "/a", "FILE:///a//b/": "/a//b/", "file://localhost/a": "/a", "file:///a%20b?c#d": "/a b?c#d",
	} {
		if got, err := ParsePath(text); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for text, says := range map[string]string{
		"hdfs://h:8020/a": `"hdfs://h:8020/a": there is no support for the scheme hdfs: want a path of this machine, plain or as in file:/path`,
		"s3a:/a":          "no support for the scheme s3a",
		"file:a":          "begins with file:/", "file://h/a": "has no host", "file://localhosts/a": "has no host", "file:/%zz": "invalid URL escape",
	} {
		if got, err := ParsePath(text); err == nil || got != "" || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if got, err := ParsePaths("file:///a, /b,, "); err != nil || !slices.Equal(got, []string{"/a", "/b"}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := ParsePaths("/a,hdfs://h/b"); err == nil || got != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// Each setting of a file or directory that a process of this machine reads or writes takes a file: URI and refuses others.
func TestSettingsOfPathsTakeFileURIs(t *testing.T) {
	for _, e := range []*Entry[string]{
		GossipKeyFile, TraceDir, RESTTokenFile, RecoveryDirectory, ResourceManagerStore, NodesIncludePath, NodesExcludePath,
		FairAllocationFile, NodeManagerHealthScript, WorkerResourcesFile, SchedulerAllocationFile, YARNStagingDir,
	} {
		if got := e.Get(mustNew(t, e.Key(), "file:///a")); got != "/a" {
			t.Errorf("%s: %q", e.Key(), got)
		}
		refuses(t, e.Key(), "hdfs://h/a")
	}
	for _, e := range []*Entry[[]string]{NodeManagerLocalDirs, NodeManagerLogDirs, LocalDir} {
		if got := e.Get(mustNew(t, e.Key(), "file:/a,/b,file:///c")); !slices.Equal(got, []string{"/a", "/b", "/c"}) {
			t.Errorf("%s: %q", e.Key(), got)
		}
		refuses(t, e.Key(), "/b,hdfs://h/a")
	}
	refuses(t, YARNStagingDir.Key(), "relative")
	refuses(t, YARNStagingDir.Key(), "")
}

func refuses(t *testing.T, key, value string) {
	t.Helper()
	if _, err := New(map[string]string{key: value}); err == nil || !strings.HasPrefix(err.Error(), key+" = ") {
		t.Errorf("%s=%s: %v", key, value, err)
	}
}
