package rest

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/cluster/web/pretty"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Config configures a server.
type Config struct {
	// Env sends the asks; Master is the endpoint that answers them.
	Env    *rpcenv.Env
	Master rpcenv.Ref
	// Conf are the settings.
	Conf *conf.Conf
	// Port is the server's own: a driver's spark.master with it means the Master's RPC port.
	Port int
	// Token is the token that requests have to bring; empty: none.
	Token string
	// Names by which the server may be called, besides addresses and localhost.
	Names []string
	// Getenv reads a variable of the Master's environment, for placeholders; nil: placeholders stay as they are.
	Getenv func(name string) (string, bool)
	Log    *logrus.Entry
}

// The one version of the protocol, and the version of Spark that the answers name.
const (
	version      = "v1"
	sparkVersion = "4.1.4"
)

// mostBody bounds the body of a request.
const mostBody = 4 << 20

// statusUnknownVersion is the code for a version of the protocol that is not known. It mirrors
// RestSubmissionServer.SC_UNKNOWN_PROTOCOL_VERSION.
const statusUnknownVersion = 468

type server struct {
	cfg     Config
	actions map[string]action
}

// action is the path element after /v1/submissions/.
type action struct {
	method string
	do     func(s *server, r *http.Request, id string) (pretty.Object, error)
}

// New makes the server's handler.
func New(cfg Config) http.Handler {
	s := &server{cfg: cfg, actions: map[string]action{
		"create":  {http.MethodPost, (*server).create},
		"kill":    {http.MethodPost, (*server).kill},
		"killall": {http.MethodPost, (*server).killAll},
		"clear":   {http.MethodPost, (*server).clear},
		"status":  {http.MethodGet, (*server).status},
		"readyz":  {http.MethodGet, (*server).readyz},
	}}
	return web.Guard(cfg.Names, s)
}

// failure is an ErrorResponse with its code.
type failure struct {
	code    int
	message string
}

func (f *failure) Error() string { return f.message }

// ServeHTTP answers a request. It mirrors the servlets of RestSubmissionServer.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Without the token nothing of a request is looked at, not even its path.
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	if !s.mayEnter(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		s.send(w, http.StatusUnauthorized, fault("This server wants a token: send the header Authorization: Bearer TOKEN."))
		return
	}
	answer, err := s.answer(r)
	if err == nil {
		s.send(w, http.StatusOK, answer)
		return
	}
	f, ok := errors.AsType[*failure](err)
	if !ok {
		s.cfg.Log.Warnf("a request for submissions: %v", err)
		f = &failure{http.StatusInternalServerError, fmt.Sprintf("The Master does not answer: %v", err)}
	}
	o := fault(f.message)
	if f.code == statusUnknownVersion {
		o = append(o, pretty.Field{Name: "highestProtocolVersion", Value: version})
	}
	s.send(w, f.code, o)
}

// mayEnter reports whether a request brings the token.
func (s *server) mayEnter(r *http.Request) bool {
	if s.cfg.Token == "" {
		return true
	}
	// In constant time: the time of a comparison must not show how much of a guess is right.
	scheme, got, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(got), []byte(s.cfg.Token)) == 1
}

// answer does the action of the path.
func (s *server) answer(r *http.Request) (pretty.Object, error) {
	parts := strings.FieldsFunc(r.URL.Path, func(c rune) bool { return c == '/' })
	if len(parts) < 3 || parts[0] != version || parts[1] != "submissions" || s.actions[parts[2]].do == nil {
		return nil, misled(parts)
	}
	a := s.actions[parts[2]]
	if r.Method != a.method {
		return nil, &failure{http.StatusMethodNotAllowed, fmt.Sprintf("HTTP method %s is not supported by this URL", r.Method)}
	}
	id := ""
	if len(parts) > 3 {
		id = parts[3]
	}
	return a.do(s, r, id)
}

// misled is the answer to a path that leads nowhere. It mirrors ErrorServlet.
func misled(parts []string) error {
	const hint = " Please submit requests through http://[host]:[port]/" + version + "/submissions/..."
	switch {
	case len(parts) == 0:
		return &failure{http.StatusBadRequest, "Missing protocol version." + hint}
	case parts[0] == version && len(parts) == 1:
		return &failure{http.StatusBadRequest, "Missing the /submissions prefix." + hint}
	case parts[0] == version && parts[1] == "submissions":
		return &failure{
			http.StatusBadRequest,
			"Missing an action: please specify one of /create, /kill, /killall, /clear, /status, or /readyz." + hint,
		}
	}
	return &failure{statusUnknownVersion, fmt.Sprintf("Unknown protocol version '%s'.%s", parts[0], hint)}
}

func malformed(format string, args ...any) error {
	return &failure{http.StatusBadRequest, "Malformed request: " + fmt.Sprintf(format, args...)}
}

// response is a message of the server, which names its version.
func response(name, message string, more ...pretty.Field) pretty.Object {
	return append(pretty.Object{
		{Name: "action", Value: name}, {Name: "message", Value: message}, {Name: "serverSparkVersion", Value: sparkVersion},
	}, more...)
}

func fault(message string) pretty.Object { return response("ErrorResponse", message) }

// send writes a message, its fields in the order of their names, as Spark's does.
func (s *server) send(w http.ResponseWriter, code int, o pretty.Object) {
	slices.SortFunc(o, func(a, b pretty.Field) int { return strings.Compare(a.Name, b.Name) })
	text, err := pretty.Marshal(o)
	if err != nil {
		s.cfg.Log.Error(err)
		code, text = http.StatusInternalServerError, nil
	}
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(text) // the client may have gone
}

// body is the whole body of a request.
func body(r *http.Request) ([]byte, error) {
	text, err := io.ReadAll(r.Body)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &failure{http.StatusRequestEntityTooLarge, fmt.Sprintf("The request is larger than %d bytes.", mostBody)}
	}
	if err != nil {
		return nil, malformed("%v", err)
	}
	return text, nil
}
