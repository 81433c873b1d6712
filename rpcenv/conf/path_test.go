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
