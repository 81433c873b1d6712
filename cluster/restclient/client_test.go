package restclient

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/rpcenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve is a REST server that answers with text and code, and what it was asked.
func serve(t *testing.T, code int, text string) (rpcenv.Address, *[]string) {
	t.Helper()
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/readyz") {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		asked = append(asked, r.Method+" "+r.URL.EscapedPath()+" "+r.Header.Get("Authorization")+" "+string(body))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		if _, err := io.WriteString(w, text); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return address(t, s.URL), &asked
}

func address(t *testing.T, url string) rpcenv.Address {
	t.Helper()
	a, err := rpcenv.AddressOfURL(url)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// dead is an address where nothing listens.
func dead(t *testing.T) rpcenv.Address {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return address(t, "http://"+l.Addr().String())
}

// recorded is what a real Spark answered.
func recorded(t *testing.T, name string) (code int, answer string) {
	t.Helper()
	text, err := os.ReadFile("../web/rest/testdata/real.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Name   string
		Code   int
		Answer json.RawMessage
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		if one.Name == name {
			return one.Code, string(one.Answer)
		}
	}
	t.Fatalf("nothing was recorded as %s", name)
	return 0, ""
}

// TestCreate speaks as Spark's client does, to the second Master, and understands what a real Spark answered.
func TestCreate(t *testing.T) {
	code, answer := recorded(t, "create-app")
	at, asked := serve(t, code, answer)
	r, err := New([]rpcenv.Address{dead(t), at}, "secret").Create(t.Context(), Submission{
		Resource: "file:/p", Class: "p", Args: []string{"a", "b c"}, Properties: map[string]string{"spark.app.name": "n"}, Environment: map[string]string{"SPARK_A": "1"},
	})
	if err != nil || r.SubmissionID != "driver-20261128084732-0009" || r.ServerSparkVersion != "4.1.4" {
		t.Errorf("%+v, %v", r, err)
	}
	want := `POST /v1/submissions/create Bearer secret {"action":"CreateSubmissionRequest","clientSparkVersion":"4.1.4","appResource":"file:/p","mainClass":"p",` +
		`"appArgs":["a","b c"],"sparkProperties":{"spark.app.name":"n"},"environmentVariables":{"SPARK_A":"1"}}`
	if len(*asked) != 1 || (*asked)[0] != want {
		t.Errorf("asked %q, want %q", *asked, want)
	}
}

func TestKillAndStatus(t *testing.T) {
	at, asked := serve(t, 200, `{"action":"KillSubmissionResponse","message":"Kill request for driver-1 submitted","submissionId":"driver-1","success":true}`)
	if r, err := New([]rpcenv.Address{at}, "").Kill(t.Context(), "driver-1"); err != nil || r.SubmissionID != "driver-1" {
		t.Errorf("%+v, %v", r, err)
	}
	status, askedStatus := serve(t, 200, `{"action":"SubmissionStatusResponse","driverState":"RUNNING","submissionId":"driver-1","success":true,"workerHostPort":"h:1","workerId":"w"}`)
	r, err := New([]rpcenv.Address{status}, "").Status(t.Context(), "driver-1")
	if err != nil || r.DriverState != "RUNNING" || r.WorkerHostPort != "h:1" {
		t.Errorf("%+v, %v", r, err)
	}
	got := strings.Join(append(*asked, *askedStatus...), "")
	if got != "POST /v1/submissions/kill/driver-1  GET /v1/submissions/status/driver-1  " {
		t.Errorf("asked %q", got)
	}
}

func TestARefusalIsAnError(t *testing.T) {
	code, malformed := recorded(t, "create-badcores")
	first, _ := serve(t, code, malformed)
	standby, _ := serve(t, 200, `{"action":"CreateSubmissionResponse","message":"Current state is not alive: STANDBY","success":false}`)
	old, _ := serve(t, 468, `{"action":"ErrorResponse","message":"Unknown protocol version","highestProtocolVersion":"v9"}`)
	_, err := New([]rpcenv.Address{first, standby, old}, "").Create(t.Context(), Submission{})
	if err == nil || errors.Is(err, ErrNoServer) {
		t.Fatal(err)
	}
	for _, want := range []string{"Validation of message CreateSubmissionRequest failed!", "it was refused: Current state is not alive", "Unknown protocol version (it speaks v9 at most)"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	unknown, _ := serve(t, 200, `{"action":"SubmissionStatusResponse","submissionId":"driver-1","success":false}`)
	if _, err := New([]rpcenv.Address{unknown}, "").Status(t.Context(), "driver-1"); err == nil || !strings.Contains(err.Error(), "not known") {
		t.Error(err)
	}
	if _, err := New([]rpcenv.Address{dead(t), standby}, "").Create(t.Context(), Submission{}); err == nil || errors.Is(err, ErrNoServer) {
		t.Errorf("one Master answered: %v", err)
	}
}

// TestNoServer: nothing listens, or what listens is no HTTP server, such as the Master's RPC port.
func TestNoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 8)) // as a frame's head; then it is cut
			conn.Close()
		}
	}()
	rpc := address(t, "http://"+l.Addr().String())
	_, err = New([]rpcenv.Address{dead(t), rpc}, "").Create(t.Context(), Submission{})
	if !errors.Is(err, ErrNoServer) {
		t.Error(err)
	}
	l.Close()
	<-done
}

func TestAServerCannotHurt(t *testing.T) {
	long, _ := serve(t, 200, `{"action":"`+strings.Repeat("x", maxAnswer)+`"}`)
	empty, _ := serve(t, 200, "")
	text, _ := serve(t, 200, "<html>")
	nameless, _ := serve(t, 200, "{}")
	for at, want := range map[rpcenv.Address]string{long: "longer than", empty: "empty body", text: "Malformed response", nameless: "no action"} {
		if _, err := New([]rpcenv.Address{at}, "").Create(t.Context(), Submission{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	away := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusTemporaryRedirect))
	defer away.Close()
	if _, err := New([]rpcenv.Address{address(t, away.URL)}, "").Kill(t.Context(), "driver-1"); err == nil || !strings.Contains(err.Error(), "leads elsewhere") {
		t.Error(err)
	}
	for _, id := range []string{"", "..", "a/b", `a\b`} {
		if _, err := New([]rpcenv.Address{text}, "").Status(t.Context(), id); err == nil || !strings.Contains(err.Error(), "no id of a submission") {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// fake answers in the place of a server.
type fake func(*http.Request) (string, error)

func (f fake) RoundTrip(r *http.Request) (*http.Response, error) {
	text, err := f(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: 200, Status: "200 OK", Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

var one = []rpcenv.Address{{Host: "h", Port: 1}}

// TestFirstStatus asks until the driver is known, for ten seconds.
func TestFirstStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c := newClient(one, "", fake(func(*http.Request) (string, error) {
			if asked++; asked < 4 {
				return `{"action":"SubmissionStatusResponse","success":false}`, nil
			}
			return `{"action":"SubmissionStatusResponse","success":true,"driverState":"SUBMITTED"}`, nil
		}))
		if r, err := c.FirstStatus(t.Context(), "driver-1"); err != nil || r.DriverState != "SUBMITTED" || asked != 4 {
			t.Errorf("%+v, %v, asked %d times", r, err, asked)
		}
		asked = -100
		if _, err := c.FirstStatus(t.Context(), "driver-1"); err == nil || asked != -100+statusTries {
			t.Errorf("%v, asked %d times", err, asked+100)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("enough"))
		if _, err := c.FirstStatus(ctx, "driver-1"); err == nil || err.Error() != "enough" {
			t.Error(err)
		}
	})
}

// TestAnAnswerThatDoesNotCome: the submission may have been taken, so it is not ErrNoServer.
func TestAnAnswerThatDoesNotCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(one, "", fake(func(r *http.Request) (string, error) {
			if strings.HasSuffix(r.URL.Path, "/readyz") {
				return "", nil
			}
			<-r.Context().Done()
			return "", r.Context().Err()
		}))
		if _, err := c.Create(t.Context(), Submission{}); err == nil || errors.Is(err, ErrNoServer) || !strings.Contains(err.Error(), "may have done it") {
			t.Error(err)
		}
	})
}
