package applicationmaster_test

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/applicationmaster"
)

func TestArgumentsOfAnApplicationMaster(t *testing.T) {
	a, err := applicationmaster.ParseArgs([]string{"--class", "c", "--jar", "j", "--arg", "1", "--arg", "--arg", "--properties-file", "p", "--dist-cache-conf", "d"})
	if err != nil || a.Class != "c" || a.Jar != "j" || strings.Join(a.Args, ",") != "1,--arg" || a.Properties != "p" || a.DistCache != "d" {
		t.Error(a, err)
	}
	for _, bad := range [][]string{nil, {"--class"}, {"--unknown", "x"}, {"--class", "c"}} {
		if _, err := applicationmaster.ParseArgs(bad); err == nil {
			t.Error(bad, "was taken")
		}
	}
}
