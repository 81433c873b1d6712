package yarnclient

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/rpcenv/conf"
)

// What a plan cannot be.
func TestWhatCannotBeStaged(t *testing.T) {
	for _, tt := range []struct{ setting, says string }{
		{"files=hdfs://h/s", "hdfs://h/s: only files of this machine are staged: fetch it first, and name the file"},
		{"files=/a%zz", `parse "/a%zz": invalid URL escape "%zz"`},
		{"files=/a,/a", "Same path resource /a added multiple times to distributed cache.: name it once"},
		{"files=/a#__app__.jar", "Same name resource /a#__app__.jar added multiple times to distributed cache.: name it once"},
		{"files=/a#d/x,/b#d_x", "/b#d_x is staged as d_x, as another file is: name it otherwise, with #NAME"},
		{"files=/a#__spark_conf__.zip", "/a#__spark_conf__.zip is staged as __spark_conf__.zip, as another file is: name it otherwise, with #NAME"},
		{"archives=/a/x,/b/x", "Same name resource /b/x added multiple times to distributed cache.: name it once"},
		{"files=/a#__spark_conf__", "/a#__spark_conf__ is the name of the settings: name the file otherwise, with #NAME"},
		{"files=/a#../b", `the name "../b" of a file in a container: want a relative path without .. in it`},
		{`files=/a#b\c`, `the name "b\\c" of a file in a container: want a relative path without .. in it`},
	} {
		key, value, _ := strings.Cut("spark.yarn.dist."+tt.setting, "=")
		c, err := conf.New(map[string]string{key: value})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := (&Submission{Mode: submit.Cluster, Program: "/bin/prog"}).plan(c); fmt.Sprint(err) != key+": "+tt.says {
			t.Errorf("%s: %v, want %s: %s", tt.setting, err, key, tt.says)
		}
	}
}

// Staging directories lie under spark.yarn.stagingDir, a path or a file: URI, and there under the user's name.
func TestWhereStagingDirectoriesLie(t *testing.T) {
	for _, tt := range []struct{ setting, user, want, err string }{
		{"", "u", "file:/home/u", ""},
		{"/s/", "u", "file:/s/u", ""},
		{"/s", "", "file:/s", ""},
		{"file:/s//", "u", "file:/s/u", ""},
		{"/a%20 b", "", "file:/a%2520%20b", ""},
		{"file:///a%20b", "", "file:/a%20b", ""},
	} {
		pairs := map[string]string{}
		if tt.setting != "" {
			pairs["spark.yarn.stagingDir"] = tt.setting
		}
		c, err := conf.New(pairs)
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&Submission{User: tt.user, Files: &files{}}).base(c)
		if said := fmt.Sprint(err); got != tt.want || err != nil && said != tt.err || err == nil && tt.err != "" {
			t.Errorf("%q of %q: %q, %v", tt.setting, tt.user, got, err)
		}
	}
}
