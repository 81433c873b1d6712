package submit

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// parsed is what a command line became, for comparisons.
type parsed struct {
	action     Action
	submission string
	values     map[string]string
	conf       []string
	extra      []string
	resource   string
	args       []string
}

func of(c *CommandLine) parsed {
	p := parsed{c.Action, c.Submission, c.values, nil, c.ExtraFiles, c.Resource, c.Args}
	for _, s := range c.Conf {
		p.conf = append(p.conf, s.Key+"="+s.Value)
	}
	return p
}

func (p parsed) equal(q parsed) bool {
	return p.action == q.action && p.submission == q.submission && maps.Equal(p.values, q.values) && slices.Equal(p.conf, q.conf) &&
		slices.Equal(p.extra, q.extra) && p.resource == q.resource && slices.Equal(p.args, q.args)
}

func TestParse(t *testing.T) {
	values := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	for _, c := range []struct {
		name, line string
		want       parsed
	}{
		{"key and value", "--master yarn app.jar", parsed{values: values("--master", "yarn"), resource: "app.jar"}},
		{"key=value", "--master=yarn app.jar", parsed{values: values("--master", "yarn"), resource: "app.jar"}},
		{"the value may have =", "--conf=spark.a=b=c app", parsed{values: values("--conf", "spark.a=b=c"), conf: []string{"spark.a=b=c"}, resource: "app"}},
		{"the last of one option holds", "--name a --name=b app", parsed{values: values("--name", "b"), resource: "app"}},
		{"a value may look like an option", "--name --master app", parsed{values: values("--name", "--master"), resource: "app"}},
		{"all behind the resource is the application's", "app --master yarn -h --nonsense=1", parsed{resource: "app", args: []string{"--master", "yarn", "-h", "--nonsense=1"}}},
		{"a switch", "--verbose --supervise app 1", parsed{values: values("--verbose", "true", "--supervise", "true"), resource: "app", args: []string{"1"}}},
		{"a switch's value does not matter", "--verbose=no app", parsed{values: values("--verbose", "true"), resource: "app"}},
		{"short forms", "-v -c spark.a=1 -c spark.b=2 app", parsed{values: values("--verbose", "true", "--conf", "spark.b=2"), conf: []string{"spark.a=1", "spark.b=2"}, resource: "app"}},
		{"-h at any place before the application", "--master yarn -h --nonsense", parsed{action: Help, values: values("--master", "yarn", "--help", "true")}},
		{"--usage-error", "--usage-error app", parsed{action: Usage, values: values("--usage-error", "true")}},
		{"nothing behind --version is read", "--version --nonsense app", parsed{action: PrintVersion, values: values("--version", "true")}},
		{"no resource", "--master yarn", parsed{values: values("--master", "yarn")}},
		{"nothing", "", parsed{action: Usage}},
		{"kill", "--master spark://h:6066 --kill driver-1", parsed{action: Kill, submission: "driver-1", values: values("--master", "spark://h:6066", "--kill", "driver-1")}},
		{"status", "--status=driver-1", parsed{action: RequestStatus, submission: "driver-1", values: values("--status", "driver-1")}},
		{"extra files in order", "--extra-properties-file a --extra-properties-file=b app", parsed{values: values("--extra-properties-file", "b"), extra: []string{"a", "b"}, resource: "app"}},
		{"deploy mode", "--deploy-mode cluster app", parsed{values: values("--deploy-mode", "cluster"), resource: "app"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(strings.Fields(c.line))
			if err != nil {
				t.Fatal(err)
			}
			if !of(got).equal(c.want) {
				t.Errorf("%+v, want %+v", of(got), c.want)
			}
		})
	}
}

func TestValuesAsTheyCome(t *testing.T) {
	c, err := Parse([]string{"--conf=spark.a=1\n2", "--name", "", "--conf", " spark.b = x y ", "app", "", "a b"})
	if err != nil {
		t.Fatal(err)
	}
	want := parsed{values: map[string]string{"--conf": " spark.b = x y ", "--name": ""}, conf: []string{"spark.a=1\n2", "spark.b=x y"}, resource: "app", args: []string{"", "a b"}}
	if !of(c).equal(want) {
		t.Errorf("%+v, want %+v", of(c), want)
	}
}

func TestUnknownOptions(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"--mastr spark://h:1 app", "Unrecognized option '--mastr'. Did you mean --master?"},
		{"--excutor-memory=1g app", "Unrecognized option '--excutor-memory'. Did you mean --executor-memory?"},
		{"--arg 1 app", "Unrecognized option '--arg'."},
		{"-x app", "Unrecognized option '-x'."},
		{"-", "Unrecognized option '-'."},
		{"-- app", "Unrecognized option '--'."},
		{"--name= app", "Unrecognized option '--name='. Did you mean --name?"},
		{"-c=spark.a=1 app", "Unrecognized option '-c=spark.a=1'."},
		{"--name", "Missing argument for option '--name': want --name NAME"},
		{"--verbose -c", "Missing argument for option '-c': want -c KEY=VALUE"},
		{"--conf spark.a app", `Spark config without '=': setting "spark.a": want KEY=VALUE, for example spark.executor.memory=512m`},
		{"--conf =a app", `setting "=a": want KEY=VALUE, for example spark.executor.memory=512m`},
		{"--deploy-mode CLUSTER app", `--deploy-mode must be either "client" or "cluster", not "CLUSTER"`},
		{"-o xml app", `-o "xml": want text or json`},
		{"--kill a --status b", "Action cannot be both KILL and REQUEST_STATUS."},
		{"--status a --kill b", "Action cannot be both REQUEST_STATUS and KILL."},
		{"--kill a --kill b", "Action cannot be both KILL and KILL."},
	} {
		if _, err := Parse(strings.Fields(c.line)); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.line, err, c.want)
		}
	}
	if _, err := Parse([]string{"--name", "a", ""}); err == nil {
		t.Error("an empty resource is taken")
	}
}

func TestOptionsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range Options() {
		if seen[o.Name] || o.Short != "" && seen[o.Short] || !strings.HasPrefix(o.Name, "--") || o.Doc == "" {
			t.Errorf("%+v", o)
		}
		seen[o.Name], seen[o.Short] = true, true
	}
	for _, r := range rules {
		if o, ok := Find(r.option); !ok || o.Value == "" {
			t.Errorf("rule for %s, which is no option with a value", r.option)
		}
	}
}

// FuzzParse holds that no command line breaks the parser, that it loses no argument of the application, and that options
// with = and without are one.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"--master\x00yarn\x00app\x00a", "--conf\x00spark.a=1\x00--kill\x00x", "--conf=spark.a=\x00", "-c\x00a", "--\x00=", "--version\x00--x", "--name="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		c, err := Parse(args)
		if err != nil {
			return
		}
		if c.Resource != "" {
			if n := len(c.Args); args[len(args)-n-1] != c.Resource || !slices.Equal(args[len(args)-n:], c.Args) {
				t.Fatalf("resource %q, arguments %q of %q", c.Resource, c.Args, args)
			}
		}
		joined := joinPairs(args[:len(args)-len(c.Args)])
		again, err := Parse(append(joined, c.Args...))
		if err != nil || !of(again).equal(of(c)) {
			t.Fatalf("%q: %+v, with =: %+v, %v", args, of(c), again, err)
		}
		a, err := Resolve(c, Input{Dir: "/w"})
		if err == nil && c.Action == Submit {
			if d, err := Decide(a, Input{Dir: "/w"}); err == nil && d.Write(&strings.Builder{}) != nil {
				t.Fatal("not printed")
			}
		}
	})
}

// joinPairs writes --key value as --key=value where that is the same.
func joinPairs(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		o, known := Find(args[i])
		switch {
		case known && o.Value != "" && o.Name == args[i] && i+1 < len(args) && args[i+1] != "":
			out = append(out, args[i]+"="+args[i+1])
			i++
		case known && o.Value != "" && i+1 < len(args):
			out = append(out, args[i], args[i+1])
			i++
		case known && (o.Name == "--version" || o.Name == "--help" || o.Name == "--usage-error"):
			return append(out, args[i:]...)
		default:
			out = append(out, args[i])
		}
	}
	return out
}
