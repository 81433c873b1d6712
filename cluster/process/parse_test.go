package process

import (
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"
)

func FuzzReadyLine(f *testing.F) {
	for _, seed := range []string{
		`{"role":"master","url":"spark://127.0.0.1:7077","ui":"","gossip":"127.0.0.1:7946","pid":12}`,
		`{}`, `{"role":1}`, `null`, `[]`, ``, `{"role":"x","pid":-1}`, `{"role":"x","pid":1} {}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parseReady(line)
		if err != nil {
			return
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := parseReady(again); err != nil || back != r {
			t.Fatalf("%+v came back as %+v, %v", r, back, err)
		}
	})
}

func TestCheckTarget(t *testing.T) {
	build := func(goos, goarch string) *debug.BuildInfo {
		return &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "GOARCH", Value: goarch}, {Key: "GOOS", Value: goos}}}
	}
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{build("linux", "amd64"), ""},
		{build("darwin", "arm64"), "built for darwin/arm64: build it with GOOS=linux GOARCH=amd64"},
		{build("linux", "arm64"), "built for linux/arm64: build it with GOOS=linux GOARCH=amd64"},
		{&debug.BuildInfo{}, "does not say"},
	} {
		err := checkTarget(c.info, "linux", "amd64")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
