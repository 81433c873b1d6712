package known

import (
	"errors"
	"regexp/syntax"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Each form has its words: a user reads what is wrong, what is wanted and a value that would do.
func TestARefusalSaysWhatIsWrongWhatIsWantedAndAnExample(t *testing.T) {
	const (
		wholeNumber = "want a whole number, for example 4"
		port        = "want a port from 0 to 65535 (0: any free one), for example 0"
		share       = "want a number from 0 to 1, for example 1"
		digest      = "want 64 hexadecimal digits in lower case, for example 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
		allFaults   = "want fixed, upstream or ids separated by commas of SPARK-2425, SPARK-8881, SPARK-9731, SPARK-12864, SPARK-13112, SPARK-13519, " +
			"SPARK-13604, SPARK-15725, SPARK-16925, SPARK-17667, SPARK-20079, SPARK-23191, SPARK-27348, SPARK-27510, SPARK-34245, YARN-1902, " +
			"YARN-FAIR, MASTER-RECOVERY, TASK-SCHEDULER, for example fixed"
		rolling = "want daily, hourly, minutely or a number of seconds from 1, for example daily"
		short   = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"
	)
	for _, test := range []struct{ key, value, want string }{
		{"spark.app.submitTime", "soon", "not a number of that form: " + wholeNumber},
		{"spark.app.submitTime", "9223372036854775808", "the number does not fit: " + wholeNumber},
		{"spark.driver.port", "65536", "no port has that number: " + port},
		{"spark.driver.port", "-1", "no port has that number: " + port},
		{"spark.driver.port", "4294967296", "the number does not fit: " + port},
		{"coherer.master.maxDriverShare", "1e999", "the number does not fit: " + share},
		{"coherer.master.maxDriverShare", "NaN", "not a number of that form: " + share},
		{"coherer.gossip.label", " ", "it is empty: want a text, not empty, for example coherer"},
		{"spark.remote", "", "it is empty: want a text, not empty, for example a-text"},
		{"spark.executor.logs.rolling.strategy", "date", "no such choice: want nothing or one of time, size, for example size"},
		{"spark.deploy.maxDrivers", "0", "too small: want a whole number of at least 1, for example 4"},
		{"spark.task.reaper.pollingInterval", "often", "not a whole number with a unit: " +
			"want a time, a whole number with us, ms, s, m, h or d (without: ms), of at least 1ms, for example 10s"},
		{"spark.driver.memoryOverhead", "much", "not a whole number with a unit: " +
			"want a size, a whole number with b, k, m, g, t or p (without: MiB), of at least 0, for example 512m"},
		{"coherer.compat", " , ", "it names no fault: " + allFaults},
		{"coherer.compat", "SPARK-27510,Spark-1", "no fault is called SPARK-1: " + allFaults},
		{"coherer.app.binary", short, "not a SHA-256: " + digest},
		{"coherer.app.binary", short + "F", "not a SHA-256: " + digest},
		{"coherer.app.binary", short + "0f", "not a SHA-256: " + digest},
		{"spark.redaction.regex", "(", "no regular expression: error parsing regexp: missing closing ): `(`: " +
			"want a regular expression, for example (?i)secret|password|token|access[.]?key"},
		{"spark.executor.logs.rolling.time.interval", "0", "too small: " + rolling},
		{"spark.executor.logs.rolling.time.interval", "Daily", "not a number of that form: " + rolling},
		{"spark.executor.logs.rolling.time.interval", "4294967296", "the number does not fit: " + rolling},
	} {
		_, err := conf.New(map[string]string{test.key: test.value}, All())
		bad, ok := errors.AsType[*conf.ValueError](err)
		if !ok || bad.Key != test.key || bad.Value != test.value {
			t.Errorf("%s = %q: %v", test.key, test.value, err)
			continue
		}
		if got := bad.Error(); got != test.key+` = "`+test.value+`": `+test.want {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
}

func TestAValueErrorWrapsWhatIsWrong(t *testing.T) {
	_, err := conf.New(map[string]string{"spark.redaction.regex": "("}, All())
	if bad, ok := errors.AsType[*syntax.Error](err); !ok || bad.Code != syntax.ErrMissingParen {
		t.Errorf("%v", err)
	}
}

func TestFormsTakeTheirBoundsAndAllTheirWords(t *testing.T) {
	const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	c := mustNew(t, "spark.app.submitTime", "1753000000123", "spark.driver.port", "65535", "spark.blockManager.port", "0",
		"coherer.app.binary", digest, "spark.executor.logs.rolling.strategy", "", "coherer.trace.bodyLimit", "1m")
	if got := submit.AppSubmitTime.Get(c); got != 1753000000123 {
		t.Errorf("a long: %d", got)
	}
	if got := []int{DriverPort.Get(c), storage.BlockManagerPort.Get(c)}; !slices.Equal(got, []int{65535, 0}) {
		t.Errorf("ports: %d", got)
	}
	if got := AppBinary.Get(c); got != digest {
		t.Errorf("a digest: %s", got)
	}
	if got := rpcenv.TraceBodyLimit.Get(c); got != 1<<20 {
		t.Errorf("the largest size: %d", got)
	}
	for text, want := range map[string]time.Duration{
		"daily": 24 * time.Hour, "hourly": time.Hour, "minutely": time.Minute, "1": time.Second, "90": 90 * time.Second,
	} {
		if got := ExecutorLogsRollingInterval.Get(mustNew(t, ExecutorLogsRollingInterval.Key(), text)); got != want {
			t.Errorf("rolling %s: %v", text, got)
		}
	}
	for text, want := range map[string][]string{
		"fixed": nil, "Fixed": nil, "UPSTREAM": {"SPARK-15725", "SPARK-17667", "SPARK-27510", "YARN-1902", "YARN-FAIR", "MASTER-RECOVERY", "TASK-SCHEDULER"},
		"yarn-fair, spark-2425,,yarn-fair": {"SPARK-2425", "YARN-FAIR"},
	} {
		if got := compat.Compat.Get(mustNew(t, compat.Compat.Key(), text)); !slices.Equal(got, want) {
			t.Errorf("compat %s: %q", text, got)
		}
	}
}
