package driver_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/rpcenv"
)

// A task that is too large fails its job. A message beyond what a connection takes would end the executor, and the next three with it.
func TestATaskThatIsTooLargeFailsItsJob(t *testing.T) {
	for _, k := range []struct {
		maxSize string
		bytes   int
		want    string
	}{
		{"1", 1 << 20, "spark.rpc.message.maxSize (1048576 bytes)"},
		{"128", 65 << 20, "exceeds the 67107840 bytes of one message, whatever spark.rpc.message.maxSize"},
	} {
		r := newRig(t, 1, map[string]string{"spark.rpc.message.maxSize": k.maxSize}, nil)
		j := run(r, words.With([]string{strings.Repeat("x", k.bytes), "y"}))
		r.launched("0", 2)
		if err := j.failure(); !strings.Contains(err, k.want) {
			t.Errorf("maxSize %s: %s", k.maxSize, err)
		}
	}
}

// A LaunchTask has to be shorter than spark.rpc.message.maxSize, and to fit in a message.
func TestATaskMayBeAsLargeAsAMessage(t *testing.T) {
	for maxSize, longest := range map[string]int{"1": 1<<20 - 1, "128": rpcenv.MaxMessage - 1<<10} {
		r := newRig(t, 1, map[string]string{"spark.rpc.message.maxSize": maxSize}, nil)
		e, local := r.launched("0", 9), r.ProbeIn(r.env, "DAG")
		launch := func(stage int32, bytes int) {
			set := tasks.Set{ID: tasks.SetID{Stage: stage}, Tasks: []tasks.Task{{}}, Work: tasks.Work{Args: make([]byte, bytes), Action: "count"}}
			local.Send(r.at(driver.Name), tasks.SubmitTasks{Set: set})
			r.Settle()
		}
		launch(1, longest-1000)
		size := proto.Size(e.Next().(proto.Message))
		args := longest - 1000 + (longest - size) - 2 // a task id above 0 takes two bytes
		launch(2, args)
		if got := e.Waiting(); len(got) != 1 || proto.Size(got[0].(proto.Message)) != longest {
			t.Fatalf("maxSize %s: the executor got %d messages", maxSize, len(got))
		}
		launch(3, args+1)
		if len(e.Waiting()) != 1 {
			t.Errorf("maxSize %s: a task of %d bytes was sent", maxSize, proto.Size(e.Waiting()[1].(proto.Message)))
		}
	}
}
