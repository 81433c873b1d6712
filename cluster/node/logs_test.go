package node

import (
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv/conf"
)

func TestLogsRollOverAsTheSettingsSay(t *testing.T) {
	for _, c := range []struct {
		settings map[string]string
		want     *process.Rolling
	}{
		{nil, nil},
		{map[string]string{"spark.executor.logs.rolling.strategy": ""}, nil},
		{map[string]string{"spark.executor.logs.rolling.strategy": "time"}, &process.Rolling{Interval: 24 * time.Hour, Retained: -1}},
		{
			map[string]string{
				"spark.executor.logs.rolling.strategy": "time", "spark.executor.logs.rolling.time.interval": "90",
				"spark.executor.logs.rolling.maxRetainedFiles": "3", "spark.executor.logs.rolling.enableCompression": "true",
			},
			&process.Rolling{Interval: 90 * time.Second, Retained: 3, Compress: true},
		},
		{
			map[string]string{"spark.executor.logs.rolling.strategy": "size", "spark.executor.logs.rolling.maxSize": "2m"},
			&process.Rolling{MaxSize: 2 << 20, Retained: -1},
		},
	} {
		settings, err := conf.New(c.settings, known.All())
		if err != nil {
			t.Fatal(err)
		}
		o := executorLog("/work/stdout", settings, quiet())
		switch r := o.Rolling; {
		case o.Path != "/work/stdout" || (r == nil) != (c.want == nil):
			t.Errorf("%v: %+v", c.settings, o)
		case r != nil && (r.Interval != c.want.Interval || r.MaxSize != c.want.MaxSize || r.Retained != c.want.Retained || r.Compress != c.want.Compress):
			t.Errorf("%v: %+v, want %+v", c.settings, r, c.want)
		}
	}
}
