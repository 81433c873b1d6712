package driver_test

import (
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
)

// The job that comes second goes first when its pool has a minimum share and the mode is FAIR.
func TestAJobsPoolDecidesWhenItGetsCores(t *testing.T) {
	file := []byte(`<allocations><pool name="urgent"><schedulingMode>FIFO</schedulingMode><minShare>1</minShare><weight>1</weight></pool></allocations>`)
	files := rdd.MemFS{"/pools.xml": file, "/conf/fairscheduler.xml": file}
	fair := map[string]string{"spark.scheduler.mode": "FAIR", "spark.scheduler.allocation.file": "/pools.xml"}
	fifo := map[string]string{"spark.scheduler.allocation.file": "/pools.xml"}
	byDir := map[string]string{"spark.scheduler.mode": "FAIR"}
	for _, k := range []struct {
		name     string
		settings map[string]string
		pool     string
		want     []int32
	}{
		{"FIFO", fifo, "urgent", []int32{0, 0, 0, 1, 1, 1}},
		{"FAIR", fair, "urgent", []int32{1, 1, 1, 0, 0, 0}},
		{"FAIR, and the file of the directory", byDir, "urgent", []int32{1, 1, 1, 0, 0, 0}},
		{"the default pool", fair, "", []int32{0, 0, 0, 1, 1, 1}},
		{"a pool that is not in the file and comes first by its name", fair, "a", []int32{1, 1, 1, 0, 0, 0}},
	} {
		t.Run(k.name, func(t *testing.T) {
			r := newRig(t, 1, k.settings, files)
			first := run(r, numbers.With(3))
			r.Settle() // it is the first
			second := runWith(r, numbers.With(3), map[string]string{rdd.PropertyPool: k.pool})
			r.Settle()
			e := r.launched("0", 1)
			var stages []int32
			for !first.done || !second.done {
				m := e.Next().(*app.LaunchTask).GetData()
				stages = append(stages, m.GetStageId())
				u, err := endOf(m, "")
				if err != nil {
					t.Fatal(err)
				}
				e.Send(r.at(driver.Name), u)
				r.Settle()
			}
			if !slices.Equal(stages, k.want) {
				t.Errorf("tasks of stages %v, want %v", stages, k.want)
			}
		})
	}
}
