package distcache

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/conf"
)

func asMap(pairs []conf.Pair) map[string]string {
	out := map[string]string{}
	for _, p := range pairs {
		out[p.Key] = p.Value
	}
	return out
}

func TestEntriesAreReadAsTheyWereWritten(t *testing.T) {
	entries := []Entry{
		{"__app__.jar", "file:/s/a,b%20c", 12, 1767225600123, yarn.LocalResourceType_FILE, yarn.LocalResourceVisibility_PRIVATE},
		{"lib/a b#,é.zip", "file:/s/z.zip", 0, 0, yarn.LocalResourceType_ARCHIVE, yarn.LocalResourceVisibility_PUBLIC},
	}
	settings := asMap(Settings(entries))
	if got := settings["spark.yarn.cache.types"]; got != "FILE,ARCHIVE" {
		t.Errorf("%q", settings)
	}
	got, err := Entries(settings)
	entries[0].URI = "file:/s/a%2Cb%20c"
	if err != nil || !slices.Equal(got, entries) {
		t.Errorf("%v\n%v, want\n%v", err, got, entries)
	}
	resources, err := Resources(got)
	if err != nil || resources[0].GetValue().GetResource().GetFile() != "/s/a,b c" {
		t.Errorf("%v %v", resources, err)
	}
	if got, err := Entries(asMap(Settings(nil))); err != nil || got != nil {
		t.Errorf("%v %v", got, err)
	}
}

func TestEntriesOfSomebodyElseAreChecked(t *testing.T) {
	good := asMap(Settings([]Entry{{"a", "file:/a", 1, 2, yarn.LocalResourceType_FILE, yarn.LocalResourceVisibility_PRIVATE}}))
	for _, tt := range []struct{ key, value, says string }{
		{sizes, "", "one was changed"},
		{sizes, "x", "invalid syntax"},
		{types, "LRT_UNSET", "want such as FILE"},
		{visibilities, "ALL", "want such as FILE"},
		{filenames, "file:/a", "want URI#NAME"},
		{filenames, "file:/a#../x", "without .. in it"},
		{filenames, "file:/a#/x", "without .. in it"},
		{filenames, "hdfs://h/a#x", "a file of this machine"},
		{filenames, "file://host/a#x", "a file of this machine"},
		{filenames, "file:a#x", "a file of this machine"},
		{filenames, strings.Repeat(",", most), "one was changed"},
	} {
		settings := maps.Clone(good)
		settings[tt.key] = tt.value
		if _, err := Entries(settings); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s=%.50s: %v, want %q", tt.key, tt.value, err, tt.says)
		}
	}
}

func FuzzEntries(f *testing.F) {
	f.Add("file:/a#b", "1", "FILE")
	f.Fuzz(func(t *testing.T, name, number, kind string) {
		got, err := Entries(map[string]string{filenames: name, sizes: number, timestamps: number, types: kind, visibilities: "PUBLIC"})
		if err != nil {
			return
		}
		if _, err := Resources(got); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		for _, e := range got {
			if CheckLink(e.Link) != nil {
				t.Errorf("%q leads out", e.Link)
			}
		}
	})
}
