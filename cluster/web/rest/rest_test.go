package rest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/web/pretty"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeMaster answers what the test wants answered.
type fakeMaster struct {
	answer rpcenv.Message
	asked  chan rpcenv.Message
}

func (f *fakeMaster) Receive(c *rpcenv.Context, m rpcenv.Message) {
	f.asked <- m
	switch m := m.(type) {
	case *deploy.RequestSubmitDriver:
		rpcenv.Reply(c, m, f.answer.(*deploy.SubmitDriverResponse))
	case *deploy.RequestKillDriver:
		rpcenv.Reply(c, m, f.answer.(*deploy.KillDriverResponse))
	case *deploy.RequestKillAllDrivers:
		rpcenv.Reply(c, m, f.answer.(*deploy.KillAllDriversResponse))
	case *deploy.RequestDriverStatus:
		rpcenv.Reply(c, m, f.answer.(*deploy.DriverStatusResponse))
	case *deploy.RequestClearCompletedDriversAndApps:
		rpcenv.Reply(c, m, f.answer.(*rpc.Bool))
	case *deploy.RequestReadyz:
		rpcenv.Reply(c, m, f.answer.(*rpc.Bool))
	default:
		c.Unsupported(m)
	}
}

// serve makes a server whose Master is a fake.
func serve(t testing.TB, change func(*Config)) (http.Handler, *fakeMaster) {
	t.Helper()
	log := logrus.New()
	log.SetOutput(t.Output())
	host := transport.New(transport.Options{Memory: true})
	env, err := rpcenv.New(host, rpcenv.Config{Name: "M", Listen: rpcenv.Address{Host: "127.0.0.1", Port: 7077}, Log: logrus.NewEntry(log)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		env.Close()
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &fakeMaster{asked: make(chan rpcenv.Message, 10)}
	ref, err := env.Register("Master", f)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Env: env, Master: ref, Port: 6066, Log: logrus.NewEntry(log)}
	if change != nil {
		change(&cfg)
	}
	return New(cfg), f
}

func call(t *testing.T, h http.Handler, method, path, body string, heads ...string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:6066"
	for i := 0; i+1 < len(heads); i += 2 {
		r.Header.Set(heads[i], heads[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	text, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	if kind := w.Result().Header.Get("Content-Type"); kind != "application/json;charset=utf-8" && w.Code != http.StatusForbidden {
		t.Errorf("%s %s: %s", method, path, kind)
	}
	return w.Code, string(text)
}

// recorded is a conversation of Spark's server.
type recorded struct {
	Name, Method, Path, Body string
	Code                     int
	// Answer is nil where Spark's web server answered itself, with HTML.
	Answer map[string]any
}

// message is the answer of a Master with which the recorded one came about.
func (r *recorded) message() rpcenv.Message {
	text := func(name string) *string {
		if s, ok := r.Answer[name].(string); ok {
			return &s
		}
		return nil
	}
	yes, _ := r.Answer["success"].(bool)
	say := ""
	if m := text("message"); m != nil {
		say = *m
	}
	switch r.Answer["action"] {
	case "CreateSubmissionResponse":
		return &deploy.SubmitDriverResponse{Success: yes, DriverId: text("submissionId"), Message: say}
	case "KillSubmissionResponse":
		return &deploy.KillDriverResponse{Success: yes, Message: say}
	case "KillAllSubmissionResponse":
		return &deploy.KillAllDriversResponse{Success: yes, Message: say}
	case "SubmissionStatusResponse":
		a := &deploy.DriverStatusResponse{Found: yes, WorkerId: text("workerId"), WorkerHostPort: text("workerHostPort")}
		if s := text("driverState"); s != nil {
			a.State = deploy.DriverState_State(deploy.DriverState_State_value[*s]).Enum()
		}
		return a
	}
	return &rpc.Bool{Value: yes}
}

// want is the answer's text: fields by name.
func (r *recorded) want(t *testing.T) string {
	t.Helper()
	o := pretty.Object{}
	for _, name := range slices.Sorted(maps.Keys(r.Answer)) {
		v := r.Answer[name]
		if many, ok := v.([]any); ok {
			v = pretty.Array(many)
		}
		if name != "cut" {
			o = append(o, pretty.Field{Name: name, Value: v})
		}
	}
	text, err := pretty.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAnswersAreSparks compares with what Spark 4.1.4 answered to the same requests. Of messages with a stack trace there the first
// line is compared; of the words of Spark's JSON reader only that the request is malformed.
func TestAnswersAreSparks(t *testing.T) {
	text, err := os.ReadFile("testdata/real.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []recorded
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("%d recordings", len(all))
	}
	h, f := serve(t, nil)
	for _, r := range all {
		f.answer = r.message()
		code, got := call(t, h, r.Method, r.Path, r.Body)
		if r.Name == "create-unknownaction" { // Spark: 500 and a page of HTML
			r.Code = http.StatusBadRequest
		}
		if code != r.Code {
			t.Errorf("%s: %d, want %d: %s", r.Name, code, r.Code, got)
		}
		for len(f.asked) > 0 {
			<-f.asked
		}
		if r.Answer == nil {
			if !strings.Contains(got, `"action" : "ErrorResponse"`) {
				t.Errorf("%s: %s", r.Name, got)
			}
			continue
		}
		if r.Answer["cut"] == true {
			var a map[string]any
			if err := json.Unmarshal([]byte(got), &a); err != nil {
				t.Fatal(err)
			}
			ours, _, _ := strings.Cut(a["message"].(string), "\n\t")
			theirs := r.Answer["message"].(string)
			if strings.Contains(theirs, "fasterxml") {
				ours, theirs = ours[:len("Malformed request: ")], theirs[:len("Malformed request: ")]
			}
			a["message"], r.Answer["message"] = ours, theirs
			delete(r.Answer, "cut")
			if !maps.Equal(a, r.Answer) {
				t.Errorf("%s: %v, want %v", r.Name, a, r.Answer)
			}
			continue
		}
		if want := r.want(t); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", r.Name, got, want)
		}
	}
}

const smallest = `{"action":"CreateSubmissionRequest","clientSparkVersion":"4.1.4","appResource":"/x","mainClass":"A","sparkProperties":`

// submitted is the driver that a request makes.
func submitted(t *testing.T, h http.Handler, f *fakeMaster, body string) *deploy.DriverDescription {
	t.Helper()
	f.answer = &deploy.SubmitDriverResponse{Success: true, DriverId: proto.String("driver-1")}
	if code, text := call(t, h, http.MethodPost, "/v1/submissions/create", body); code != http.StatusOK {
		t.Fatal(code, text)
	}
	return (<-f.asked).(*deploy.RequestSubmitDriver).GetDriverDescription()
}

func TestTheDriverOfARequest(t *testing.T) {
	h, f := serve(t, func(c *Config) {
		c.Getenv = func(name string) (string, bool) { return "value of " + name, name == "HOME" || name == "MY_TOKEN" }
	})
	d := submitted(t, h, f, `{"action":"CreateSubmissionRequest","clientSparkVersion":"4.1.4","appResource":"/apps/pi","mainClass":"Pi",
		"appArgs":["1",2,true],"environmentVariables":{"A":"b","H":"{{HOME}}","N":"{{NOSUCH}}","SPARK_LOCAL_IP":"1.2.3.4","SPARK_LOCAL_HOSTNAME":"h","X":null},
		"sparkProperties":{"spark.app.name":"n","spark.driver.cores":"2","spark.driver.memory":"2g","spark.driver.supervise":"TRUE",
		"spark.master":"spark://127.0.0.1:6066,h2:6066","spark.driver.resource.gpu.amount":"1","spark.driver.resource.none.amount":"0"}}`)
	if d.JarUrl != "/apps/pi" || d.Cores != 2 || d.Mem != 2048 || !d.Supervise || len(d.ResourceReqs) != 1 || d.ResourceReqs[0].GetName() != "gpu" || d.ResourceReqs[0].GetAmount() != 1 {
		t.Errorf("%v", d)
	}
	if got := strings.Join(d.Command.Arguments, " "); got != "{{WORKER_URL}} {{USER_JAR}} Pi 1 2 true" || d.Command.MainClass != "org.apache.spark.deploy.worker.DriverWrapper" {
		t.Error(d.Command.MainClass, got)
	}
	env := map[string]string{}
	for _, v := range d.Command.Environment {
		env[v.GetName()] = v.GetValue()
	}
	var s app.Submission
	if err := json.Unmarshal([]byte(env[app.SubmissionVar]), &s); err != nil || s.Name != "n" || s.Conf["spark.master"] != "spark://127.0.0.1:7077,h2:7077" {
		t.Errorf("%v %+v", err, s)
	}
	delete(env, app.SubmissionVar)
	if want := map[string]string{"A": "b", "H": "value of HOME", "N": "{{NOSUCH}}"}; !maps.Equal(env, want) {
		t.Errorf("%v, want %v", env, want)
	}
	if !slices.Contains(d.Command.JavaOpts, "-Dspark.driver.memory=2g") {
		t.Error(d.Command.JavaOpts)
	}
	d = submitted(t, h, f, smallest+`{}}`)
	if d.Cores != 1 || d.Mem != 1024 || d.Supervise || !slices.Contains(d.Command.JavaOpts, "-Dspark.master=spark://127.0.0.1:7077") {
		t.Errorf("%v", d)
	}
	d = submitted(t, h, f, strings.Replace(smallest, `"/x","mainClass":"A"`, `"spark-internal","mainClass":"pi"`, 1)+`{}}`)
	if got := strings.Join(d.Command.Arguments, " "); got != "{{WORKER_URL}} {{USER_JAR}} pi driver pi" {
		t.Error(got)
	}
}

func TestPlaceholdersOfSecretsStay(t *testing.T) {
	h, f := serve(t, func(c *Config) { c.Getenv = func(string) (string, bool) { return "hush", true } })
	d := submitted(t, h, f, smallest+`{"a":"{{MY_TOKEN}}"},"environmentVariables":{"P":"{{DB_PASSWORD}}","S":"{{_SPARK_AUTH_SECRET}}"}}`)
	if text := d.String(); strings.Contains(text, "hush") || !strings.Contains(text, "{{DB_PASSWORD}}") {
		t.Error(text)
	}
}

func TestAnEnvironmentThatCannotBeIsRefused(t *testing.T) {
	h, f := serve(t, nil)
	for _, bad := range []string{`"A=B":"c"`, `"":"c"`, `"A\u0000":"c"`, `"A":"b\u0000c"`} {
		code, text := call(t, h, http.MethodPost, "/v1/submissions/create", smallest+`{},"environmentVariables":{`+bad+`}}`)
		if code != http.StatusBadRequest || !strings.Contains(text, "the environment variable") || len(f.asked) > 0 {
			t.Errorf("%s: %d %s", bad, code, text)
		}
	}
}

func TestASettingThatPromisesProtectionIsRefused(t *testing.T) {
	h, f := serve(t, func(c *Config) { c.Getenv = func(string) (string, bool) { return "true", true } })
	for _, value := range []string{"true", "{{ON}}"} {
		code, text := call(t, h, http.MethodPost, "/v1/submissions/create", smallest+`{"spark.task.cpus":"x","spark.authenticate":"`+value+`"}}`)
		if code != http.StatusBadRequest || !strings.Contains(text, "sparkProperties: spark.authenticate promises protection") || len(f.asked) > 0 {
			t.Errorf("%s: %d %s", value, code, text)
		}
	}
	submitted(t, h, f, smallest+`{"spark.authenticate":"false"}}`)
}

func TestAHugeBodyIsRefused(t *testing.T) {
	h, f := serve(t, nil)
	code, text := call(t, h, http.MethodPost, "/v1/submissions/create", smallest+`{"a":"`+strings.Repeat("x", mostBody)+`"}}`)
	if code != http.StatusRequestEntityTooLarge || !strings.Contains(text, "ErrorResponse") || len(f.asked) > 0 {
		t.Errorf("%d %.200s", code, text)
	}
	code, text = call(t, h, http.MethodPost, "/v1/submissions/create", strings.Repeat("[", 100_000))
	if code != http.StatusBadRequest {
		t.Errorf("%d %.200s", code, text)
	}
}

func TestAMasterThatIsNotReady(t *testing.T) {
	h, f := serve(t, nil)
	f.answer = &rpc.Bool{}
	code, text := call(t, h, http.MethodGet, "/v1/submissions/readyz", "")
	if code != http.StatusServiceUnavailable || !strings.Contains(text, `"message" : "Master is not ready."`) {
		t.Errorf("%d %s", code, text)
	}
	f.answer = &deploy.DriverStatusResponse{Exception: proto.String("Current state is not alive: STANDBY. Can only request driver status in ALIVE state.")}
	_, text = call(t, h, http.MethodGet, "/v1/submissions/status/driver-1", "")
	if !strings.Contains(text, `"message" : "Exception from the cluster:\nCurrent state is not alive: STANDBY.`) {
		t.Error(text)
	}
}

func TestAMasterThatDoesNotAnswerIs500(t *testing.T) {
	h, _ := serve(t, func(c *Config) { c.Master.Name = "Nobody" })
	for path, method := range map[string]string{"create": http.MethodPost, "kill/a": http.MethodPost, "killall": http.MethodPost, "clear": http.MethodPost, "status/a": http.MethodGet, "readyz": http.MethodGet} {
		code, text := call(t, h, method, "/v1/submissions/"+path, smallest+"{}}")
		if code != http.StatusInternalServerError || !strings.Contains(text, "The Master does not answer: ") {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
}

// TestAForeignPageSubmitsNothing: browsers send such a POST without asking.
func TestAForeignPageSubmitsNothing(t *testing.T) {
	h, f := serve(t, nil)
	for _, heads := range [][]string{{"Origin", "http://evil.example"}, {"Sec-Fetch-Site", "cross-site", "Content-Type", "text/plain"}} {
		if code, _ := call(t, h, http.MethodPost, "/v1/submissions/create", smallest+"{}}", heads...); code != http.StatusForbidden || len(f.asked) > 0 {
			t.Error(code)
		}
	}
}

func TestWithoutTheTokenNothingHappens(t *testing.T) {
	const token = "0123456789abcdef"
	h, f := serve(t, func(c *Config) { c.Token = token })
	f.answer = &rpc.Bool{Value: true}
	for _, heads := range [][]string{nil, {"Authorization", token}, {"Authorization", "Bearer "}, {"Authorization", "Bearer " + token + "x"}, {"Authorization", "Basic " + token}} {
		for _, path := range []string{"/v1/submissions/readyz", "/v1/submissions/status/a", "/"} {
			if code, text := call(t, h, http.MethodGet, path, "", heads...); code != http.StatusUnauthorized || len(f.asked) > 0 {
				t.Error(code, text)
			}
		}
	}
	for _, scheme := range []string{"Bearer", "bearer", "BEARER"} { // RFC 9110: in whatever case
		if code, text := call(t, h, http.MethodGet, "/v1/submissions/readyz", "", "Authorization", scheme+" "+token); code != http.StatusOK {
			t.Error(scheme, code, text)
		}
	}
}

func TestTokenRule(t *testing.T) {
	if on, _ := submit.MasterRESTEnabled.Default(); on {
		t.Error("the server is on by default")
	}
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good", "0123456789abcdef\n", 0o600)
	for _, c := range []struct {
		name, file, want, problem string
	}{
		{"none", "", "", ""},
		{"a token", good, "0123456789abcdef", ""},
		{"a short one", write("short", "0123456789abcde\n", 0o600), "", "at least 16"},
		{"two lines", write("two", "0123456789abcdef\n0123456789abcdef\n", 0o600), "", "one line"},
		{"readable by all", write("open", "0123456789abcdef", 0o644), "", "chmod 600"},
		{"a folder", dir, "", "no plain file"},
		{"nothing", filepath.Join(dir, "nosuch"), "", "no such file"},
	} {
		pairs := map[string]string{}
		if c.file != "" {
			pairs["coherer.rest.tokenFile"] = c.file
		}
		cf, err := conf.New(pairs, known.All())
		if err != nil {
			t.Fatal(err)
		}
		got, err := Token(cf)
		if got != c.want || (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

// FuzzDecode: every body gives a driver or an ErrorResponse's code, and a driver of a request that was understood can be described.
func FuzzDecode(f *testing.F) {
	text, err := os.ReadFile("testdata/real.json")
	if err != nil {
		f.Fatal(err)
	}
	var all []recorded
	if err := json.Unmarshal(text, &all); err != nil {
		f.Fatal(err)
	}
	for _, r := range all {
		f.Add([]byte(r.Body))
	}
	f.Add([]byte(smallest + `{"spark.driver.resource.a.amount":"x"}}`))
	s := &server{cfg: Config{Port: 6066, Master: rpcenv.Ref{Address: rpcenv.Address{Host: "h", Port: 7077}}}}
	f.Fuzz(func(t *testing.T, body []byte) {
		q, err := decode(body)
		if err == nil {
			_, err = s.describe(q)
		}
		if fail, ok := err.(*failure); err != nil && (!ok || fail.code != http.StatusBadRequest || fail.message == "") { //nolint:errorlint // it is never wrapped
			t.Errorf("%q: %v", body, err)
		}
		if err != nil {
			return
		}
		var fields map[string]any
		if err := json.NewDecoder(bytes.NewReader(body)).Decode(&fields); err != nil || fields["action"] != createRequest || fields["sparkProperties"] == nil {
			t.Errorf("%q was understood", body)
		}
	})
}
