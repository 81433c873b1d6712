package launch

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func full() Container {
	return Container{
		User: "ann", App: "application_1_0001", ID: "container_1_0001_01_000002", Host: "h", Port: 45, HTTPPort: 8042, MemoryMB: 1024, VCores: 2,
		Env:   []Variable{{"CLASSPATH", "$PWD/x<CPS>{{HERE}}"}, {"HERE", "<LOG_DIR>/a"}, {"USER", "mallory"}, {"EMPTY", ""}},
		Admin: "MALLOC_ARENA_MAX=$MALLOC_ARENA_MAX,SITE=eu,bad name=1", Services: []Service{{"shuffle", []byte("hi")}},
		Command: []string{"{{PWD}}/prog", "a", "1><LOG_DIR>/stdout"}, Links: []Link{{"prog", "/c/prog"}, {"lib/a/x", "/c/x"}, {"lib/a/y", "/c/y"}},
		Tokens: []byte("t"), Dir: "/w", LogDir: "/l", LocalDirs: []string{"/a1", "/a2"}, UserDirs: []string{"/u"}, LogDirs: []string{"/l"},
		Inherited: []Variable{{"PATH", "/bin"}, {"CLASSPATH", "not this"}},
	}
}

// Spec 6.7: the order of the environment, and which value wins.
func TestEnvironment(t *testing.T) {
	c := full()
	var got []string
	for _, v := range c.Environment() {
		got = append(got, v.Name+"="+v.Value)
	}
	want := []string{
		"HADOOP_TOKEN_FILE_LOCATION=/w/container_tokens", "CONTAINER_ID=container_1_0001_01_000002", "NM_HOST=h", "NM_PORT=45", "NM_HTTP_PORT=8042",
		"LOCAL_DIRS=/a1,/a2", "LOCAL_USER_DIRS=/u", "LOG_DIRS=/l", "USER=ann", "LOGNAME=ann", "HOME=/home/", "PWD=/w", "JVM_PID=$$", "SITE=eu",
		"NM_AUX_SERVICE_shuffle=aGk=", "GOMAXPROCS=2", "GOMEMLIMIT=1024MiB", "HERE=/l/a", "CLASSPATH=$PWD/x:$HERE", "EMPTY=",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	c.Env = append(c.Env, Variable{"GOMAXPROCS", "9"})
	if i := slices.Index(c.Environment(), Variable{"GOMAXPROCS", "9"}); i < 0 || slices.Contains(c.Environment(), Variable{"GOMAXPROCS", "2"}) {
		t.Error("what the owner set does not win over the limit")
	}
	c.Env = []Variable{{"B", "1"}, {"A", "2"}, {"B", "3"}, {"GOMEMLIMIT", "off"}}
	c.Admin = "HOME=/home/ann,A=9,ALONE"
	env := c.Environment()
	for _, want := range []Variable{{"HOME", "/home/ann"}, {"A", "9"}, {"B", "3"}, {"GOMAXPROCS", "2"}, {"GOMEMLIMIT", "off"}} {
		same := slices.DeleteFunc(slices.Clone(env), func(v Variable) bool { return v.Name != want.Name })
		if len(same) != 1 || same[0] != want {
			t.Errorf("%v, want only %v", same, want)
		}
	}
	if has(env, "ALONE") {
		t.Error("a name without a value is set")
	}
	c.Env, c.VCores, c.MemoryMB = nil, 0, 0
	if env := c.Environment(); has(env, "GOMAXPROCS") || has(env, "GOMEMLIMIT") {
		t.Error("limits that nobody knows:", env)
	}
	c.VCores, c.MemoryMB = 1, 1
	if env := c.Environment(); !slices.Contains(env, Variable{"GOMAXPROCS", "1"}) || !slices.Contains(env, Variable{"GOMEMLIMIT", "1MiB"}) {
		t.Error(env)
	}
	c.Tokens = nil
	if has(c.Environment(), "HADOOP_TOKEN_FILE_LOCATION") {
		t.Error("a token file without tokens")
	}
}

func TestExpansion(t *testing.T) {
	for in, want := range map[string]string{
		"{{PWD}}/a<CPS>{{JAVA_HOME}}": "$PWD/a:$JAVA_HOME", "<LOG_DIR>/x": "/l/x", "a}}{{": "a$", "": "",
	} {
		if got := expand(in, "/l"); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func TestVariablesComeAfterWhatTheyReferTo(t *testing.T) {
	for in, want := range map[string]string{
		"A=$B B=$C C=1": "C B A", "A=1 B=2": "A B", "A=${B:-x} B=1": "B A", `A=\$B B=1`: "A B", "A=$A": "A", "A=$B B=$A": "B A", "A=$$ B=$1 C=${": "A B C",
	} {
		var list []Variable
		for e := range strings.FieldsSeq(in) {
			name, value, _ := strings.Cut(e, "=")
			list = append(list, Variable{name, value})
		}
		var got []string
		for _, v := range inOrder(list) {
			got = append(got, v.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", in, got, want)
		}
	}
}

// run lets a shell run the container's script in a directory of its own, and returns what went to stdout.
func run(t *testing.T, c Container) string {
	t.Helper()
	c.Dir, c.LogDir = t.TempDir(), t.TempDir()
	script := filepath.Join(c.Dir, ScriptFile)
	if err := os.WriteFile(script, []byte(c.Script(-1)), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), "/bin/bash", script)
	cmd.Dir = c.Dir
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(filepath.Join(c.LogDir, "prelaunch.err"))
		t.Fatalf("%v\n%s", err, said)
	}
	out, err := os.ReadFile(filepath.Join(c.LogDir, "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// The script as a whole: with the descriptor of the NodeManager's life, what the container inherits unless it sets it, the
// environment, and each directory of links once.
func TestTheScript(t *testing.T) {
	c := full()
	c.Links = append(c.Links, Link{"lib/b/z", "/c/z"})
	want := `#!/bin/bash

set -o pipefail -e
export PRELAUNCH_OUT="/l/prelaunch.out"
exec >"${PRELAUNCH_OUT}"
export PRELAUNCH_ERR="/l/prelaunch.err"
exec 2>"${PRELAUNCH_ERR}"
(trap '' TERM; read -r -u 0 _ || true; kill -KILL -- -$$) </dev/null >/dev/null 2>&1 &
echo "Setting up env variables"
export PATH=${PATH:-"/bin"}
export HADOOP_TOKEN_FILE_LOCATION="/w/container_tokens"
export CONTAINER_ID="container_1_0001_01_000002"
export NM_HOST="h"
export NM_PORT="45"
export NM_HTTP_PORT="8042"
export LOCAL_DIRS="/a1,/a2"
export LOCAL_USER_DIRS="/u"
export LOG_DIRS="/l"
export USER="ann"
export LOGNAME="ann"
export HOME="/home/"
export PWD="/w"
export JVM_PID="$$"
export SITE="eu"
export NM_AUX_SERVICE_shuffle="aGk="
export GOMAXPROCS="2"
export GOMEMLIMIT="1024MiB"
export HERE="/l/a"
export CLASSPATH="$PWD/x:$HERE"
export EMPTY=""
echo "Setting up job resources"
ln -sf -- "/c/prog" "prog"
mkdir -p -- "lib/a"
ln -sf -- "/c/x" "lib/a/x"
ln -sf -- "/c/y" "lib/a/y"
mkdir -p -- "lib/b"
ln -sf -- "/c/z" "lib/b/z"
echo "Launching container"
exec /bin/bash -c "trap 'exit 143' TERM; $PWD/prog a 1>/l/stdout"
`
	if got := c.Script(0); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var lines []string
	for line := range strings.Lines(want) {
		if !strings.HasPrefix(line, "(trap") {
			lines = append(lines, line)
		}
	}
	if got, want := c.Script(-1), strings.Join(lines, ""); got != want {
		t.Errorf("without a descriptor:\n%s\nwant\n%s", got, want)
	}
}

// A shell makes of the script what Hadoop's does: links, expanded variables, redirected output.
func TestTheScriptRuns(t *testing.T) {
	target := filepath.Join(t.TempDir(), "it's \"$x\" `y` \\")
	if err := os.WriteFile(target, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := full()
	c.Links = []Link{{"one", target}, {"lib/a/two", target}}
	c.Command = []string{"{", "cat", "{{PWD}}/one", "lib/a/two;", `echo \" \$CLASSPATH \$USER \$PATH_OF\";`, "}", "1><LOG_DIR>/stdout"}
	c.Env = []Variable{{"CLASSPATH", "$PWD/x<CPS>{{HERE}}"}, {"HERE", "here"}, {"PATH_OF", "$HERE"}}
	out := run(t, c)
	if !strings.HasPrefix(out, "contentcontent ") || !strings.HasSuffix(out, "/x:here ann here\n") {
		t.Errorf("%q", out)
	}
}

// Whatever a value holds arrives in the process, but for $NAME, which is expanded.
func TestAValueArrivesAsItIs(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"b\"c","n":[1]}`: `{"a":"b\"c","n":[1]}`, "two\nlines": "two\nlines", "`id`": "`id`", `\$HOME`: "$HOME", `a\`: `a\`, "$USER": "ann", `\\n`: `\\n`,
	} {
		c := full()
		c.Links, c.Env = nil, []Variable{{"V", in}}
		c.Command = []string{`printf %s \"\$V\"`, "1><LOG_DIR>/stdout"}
		if got := run(t, c); got != want {
			t.Errorf("%q arrives as %q, want %q", in, got, want)
		}
	}
}

// What stands for a shell in a simulation makes the same words of a command as a shell.
func TestWordsAreAShells(t *testing.T) {
	for _, command := range []string{
		`prog --class 'a b' --arg 'it'\''s' --arg '\$a' x\ y \"d q\"`, `{{CONTAINER_ID}} a'b'c ''`, `'1>x' a`, `a 2>/dev/null b`, `a '\\' \"\\\$x\"`,
		"a  b\tc", `a \>x \"d\\e\"`,
	} {
		c := full()
		c.Links, c.Tokens = nil, nil
		words := c.Words
		c.Command = []string{`printf '%s\\n'`, command, "1><LOG_DIR>/stdout"}
		got := words()[2:]
		if want := strings.Split(strings.TrimSuffix(run(t, c), "\n"), "\n"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, a shell says %q", command, got, want)
		}
	}
	c := full()
	c.Command = []string{"{{PWD}}/a", "1>", "<LOG_DIR>/stdout", "2>><LOG_DIR>/stderr", "b", "<", "/dev/null"}
	if got := c.Words(); !slices.Equal(got, []string{"/w/a", "b"}) {
		t.Errorf("%q", got)
	}
	for command, want := range map[string][]string{
		"a\nb": {"a", "b"}, "a $NOPE": {"a", "$NOPE"}, "a 2>&1 $USER": {"a", "ann"}, `a\`: {`a\`},
	} {
		c.Command = []string{command}
		if got := c.Words(); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

func TestLinksStayBelowTheWorkDirectory(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "a/b": true, "a/../b": true, "..a": true, "": false, "/a": false, "..": false, "../a": false, "a/../../b": false, ".": false,
		"a\nb": false, "a\x00": false, TokenFile: false, "./launch_container.sh": false,
	} {
		if err := CheckLink(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestNamesOfVariables(t *testing.T) {
	for name, ok := range map[string]bool{
		"A": true, "_a1": true, "azAZ09": true, "": false, "1A": false, "A B": false, "A;id": false, "A=": false, "é": false,
		"A/": false, "A:": false, "A@": false, "A[": false, "A`": false, "A{": false,
	} {
		if err := CheckNames([]Variable{{Name: name}}); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	if CheckNames([]Variable{{"A", "\x00"}}) == nil {
		t.Error("a NUL byte")
	}
}

func TestNothingAPeerWritesPanics(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := full()
		c.Command = rapid.SliceOf(rapid.String()).Draw(r, "command")
		c.Env = []Variable{{"A", rapid.String().Draw(r, "a")}, {"B", rapid.String().Draw(r, "b")}}
		c.Words()
		c.Script(3)
	})
}
