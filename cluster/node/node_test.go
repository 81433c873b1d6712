package node

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(nodeManagerVar); text != "" {
		beNodeManager(text)
		return
	}
	goleak.VerifyTestMain(m)
}

func TestTheMemoryOfAnExecutorIsItsCommands(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"A=b", "SPARK_EXECUTOR_MEMORY=512m"}, "448MiB"},
		{[]string{"SPARK_EXECUTOR_MEMORY=2g"}, "1984MiB"},
		{[]string{"SPARK_EXECUTOR_MEMORY=much"}, "960MiB"},
		{nil, "960MiB"},
	} {
		if got := memoryLimit(c.env, "SPARK_EXECUTOR_MEMORY", 1024); got != c.want {
			t.Errorf("%v: %s, want %s", c.env, got, c.want)
		}
	}
}
