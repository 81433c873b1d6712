package applicationmaster

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/rpcenv"
)

func TestArgumentsOfAnApplicationMaster(t *testing.T) {
	a, err := ParseArgs([]string{"--class", "c", "--jar", "j", "--arg", "1", "--arg", "--arg", "--properties-file", "p", "--dist-cache-conf", "d"})
	if err != nil || a.Class != "c" || a.Jar != "j" || strings.Join(a.Args, ",") != "1,--arg" || a.Properties != "p" || a.DistCache != "d" {
		t.Error(a, err)
	}
	for _, bad := range [][]string{nil, {"--class"}, {"--unknown", "x"}, {"--class", "c"}} {
		if _, err := ParseArgs(bad); err == nil {
			t.Error(bad, "was taken")
		}
	}
}

func TestAConfigThatLacksSomethingSaysAllOfIt(t *testing.T) {
	_, err := New(Config{})
	for _, part := range []string{"CONTAINER_ID", "yarn.resourcemanager.address", "--arg HOST:PORT"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %s", err, part)
		}
	}
}

// An attempt needs both its ids.
func TestAnAttemptHasTwoIDs(t *testing.T) {
	for _, a := range []ids.Attempt{{App: ids.Application{Timestamp: 1, ID: 1}}, {App: ids.Application{Timestamp: 1}, Attempt: 1}} {
		const want = "applicationmaster: it needs the id of its attempt, which is in CONTAINER_ID"
		_, err := New(Config{Attempt: a, ClusterMode: true, ResourceManager: rpcenv.Address{Host: "rm", Port: 1}})
		if err == nil || err.Error() != want {
			t.Errorf("%v: %v", a, err)
		}
	}
}
