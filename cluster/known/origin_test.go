package known

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

func TestAMalformedValueIsToldWithItsPlace(t *testing.T) {
	var s conf.Settings
	s.Set(conf.Setting{Pair: conf.Pair{Key: "spark.task.cpus", Value: "many"}, From: conf.Origin{Place: "f", Line: 3}}, conf.Setting{Pair: conf.Pair{Key: "spark.worker.timeout", Value: "60"}, From: conf.Origin{Place: "f", Line: 4}}, conf.Setting{Pair: conf.Pair{Key: "spark.speculation", Value: "perhaps"}, From: conf.Env("X")})
	_, err := s.Conf(All())
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "env X: spark.speculation") || !strings.HasPrefix(lines[1], "f:3: spark.task.cpus") {
		t.Errorf("%q", lines)
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	for _, c := range []struct{ regex, key, value, want string }{
		{"", "spark.my.Password", "x", rpcenv.Redacted},
		{"", "spark.driver.extraJavaOptions", "-Dtoken=1", rpcenv.Redacted},
		{"", "spark.task.cpus", "1", "1"},
		{"cpus", "spark.task.cpus", "1", rpcenv.Redacted},
		{"cpus", "spark.my.password", "x", "x"},
	} {
		pairs := map[string]string{}
		if c.regex != "" {
			pairs[rpcenv.RedactionRegex.Key()] = c.regex
		}
		s, err := conf.New(pairs, All())
		if err != nil {
			t.Fatal(err)
		}
		if got := rpcenv.Redact(s, c.key, c.value); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	if _, err := conf.New(map[string]string{rpcenv.RedactionRegex.Key(): "("}, All()); err == nil {
		t.Error("( is taken for an expression")
	}
}
