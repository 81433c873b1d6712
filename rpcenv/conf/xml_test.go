package conf

import (
	"slices"
	"strings"
	"testing"
)

func TestReadHadoop(t *testing.T) {
	got, err := ReadHadoop(strings.NewReader(`<?xml version="1.0"?>
<configuration>
  <property><name> yarn.a </name><value>1</value><final>true</final></property>
  <property><name>yarn.b</name><value>x y</value></property>
  <property><name>yarn.a</name><value>2</value></property>
</configuration>`), "f")
	want := []Setting{{Pair{"yarn.a", "2"}, Origin{Place: "f"}}, {Pair{"yarn.b", "x y"}, Origin{Place: "f"}}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v", got, err)
	}
	for text, says := range map[string]string{
		"": "want <configuration>", "<other/>": "expected element type <configuration>", "<configuration><property>": "f: ",
		"<configuration>" + strings.Repeat(" ", MaxProperties) + "</configuration>": "longer than",
	} {
		if _, err := ReadHadoop(strings.NewReader(text), "f"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func TestOnlyWhatStandsBehindSparkHadoopIsHadoops(t *testing.T) {
	s := NewSet()
	Declare(s, "yarn.acl.enable", Bools, "false", "Rights.")
	if e := s.hadoopEntry("yarn.acl.enable"); e != nil {
		t.Errorf("%s does not begin with spark.hadoop.", e.Key())
	}
	if e := s.hadoopEntry("spark.hadoop.yarn.acl.enable"); e == nil {
		t.Error("it is not found behind spark.hadoop.")
	}
}
