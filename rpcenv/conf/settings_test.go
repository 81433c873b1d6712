package conf

import (
	"slices"
	"strings"
	"testing"
)

func TestSettingsKnowWhereTheyWereMade(t *testing.T) {
	file, err := ReadProperties(strings.NewReader("# comment\nspark.a 1\nspark.b \\\n 2\nspark.a 3\n\nspark.z 9\\"), "dir/f.conf")
	if err != nil {
		t.Fatal(err)
	}
	var s Settings
	s.Set(Setting{Pair{"spark.b", "x"}, Origin{Place: "--conf"}})
	s.SetMissing(file...)
	s.SetMissing(Setting{Pair{"spark.c", "4"}, Env("C")}, Setting{Pair{"spark.a", "5"}, Env("A")}, Setting{Pair{"spark.d", "6"}, Origin{}})
	var got []string
	for _, one := range s.Sorted() {
		got = append(got, one.Key+"="+one.Value+" "+one.From.String())
	}
	want := []string{"spark.a=3 dir/f.conf:5", "spark.b=x --conf", "spark.c=4 env C", "spark.d=6 default", "spark.z=9 dir/f.conf:7"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if one, ok := s.Get("spark.c"); !ok || one != (Setting{Pair{"spark.c", "4"}, Env("C")}) {
		t.Errorf("%+v, %v", one, ok)
	}
	if _, ok := s.Get("spark.e"); ok {
		t.Error("a setting that nobody made is there")
	}
	if !s.Remove("spark.a") || s.Remove("spark.a") || len(s.Values()) != 4 {
		t.Errorf("%v", s.Values())
	}
	if _, err := ReadProperties(strings.NewReader("ok 1\n= 2\n"), "f"); err == nil || err.Error() != "f: line 2: no key: want KEY VALUE or KEY=VALUE" {
		t.Error(err)
	}
}

func TestSettingsKeepUnknownKeys(t *testing.T) {
	var s Settings
	s.Set(Setting{Pair{"spark.my.own", "1"}, Origin{Place: "--conf"}}, Setting{Pair{"spark.hadoop.fs.x", "2"}, Origin{Place: "--conf"}})
	c, err := s.Conf()
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Pairs(); !slices.Equal(got, []Pair{{"spark.hadoop.fs.x", "2"}, {"spark.my.own", "1"}}) {
		t.Errorf("%q", got)
	}
}

func TestParseJavaOptions(t *testing.T) {
	for _, c := range []struct {
		text          string
		want, ignored []string
		err           string
	}{
		{text: ""},
		{text: " -Dspark.a=1\t-Xmx1g -Dspark.b=x=y \n-Dother=2", want: []string{"spark.a=1", "spark.b=x=y"}, ignored: []string{"-Xmx1g", "-Dother=2"}},
		{text: `-Dspark.a="1 2" '-Dspark.b=3 4' -Dspark.c=5\ 6 -Dspark.d`, want: []string{"spark.a=1 2", "spark.b=3 4", "spark.c=5 6", "spark.d="}},
		{text: "spark.a=1\r-Dspark.b=2\x003", want: []string{"spark.b=2\x003"}, ignored: []string{"spark.a=1"}},
		{text: `-Dspark.a="it's" -Dspark.b='"'`, want: []string{"spark.a=it's", `spark.b="`}},
		{text: `-Dspark.a='\x' ""`, want: []string{`spark.a=\x`}, ignored: []string{""}},
		{text: `-Dspark.a="1`, err: "env V: it ends within quotes or behind a backslash"},
		{text: `-Dspark.a=1\`, err: "env V: it ends within quotes or behind a backslash"},
	} {
		list, ignored, err := NewSet().ParseJavaOptions(c.text, Env("V"))
		var got []string
		for _, s := range list {
			got = append(got, s.Key+"="+s.Value)
		}
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%q: %v, want %s", c.text, err, c.err)
			}
			continue
		}
		if err != nil || !slices.Equal(got, c.want) || !slices.Equal(ignored, c.ignored) {
			t.Errorf("%q: %q, %q, %v", c.text, got, ignored, err)
		}
	}
}

func TestMemoryOfDaemons(t *testing.T) {
	for text, want := range map[string]int{"1g": 1024, "512m": 512, "2097152": 2, " 1T ": 1 << 20, "1048576k": 1024, "1m": 1, "2147483647m": 1<<31 - 1} {
		if got, err := ParseMemoryMB(text); err != nil || got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
	const below = "it is below 1 MiB, or lacks m or g at its end"
	for text, want := range map[string]string{
		"512": below, "0": below, "-1g": below, "1023k": below, "": "not a whole number with a unit", "much": "not a whole number with a unit",
		"1.5g": "fractional values are not supported, write 1536m", "2147483648m": "it is above 2147483647m", "9999999t": "the number does not fit",
	} {
		want = `memory "` + text + `": want a size such as 2g or 512m: ` + want
		if got, err := ParseMemoryMB(text); err == nil || got != 0 || err.Error() != want {
			t.Errorf("%d, %v, want %s", got, err, want)
		}
	}
}
