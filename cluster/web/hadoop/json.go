package hadoop

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/coherer/coherer/cluster/web"
)

// javaFloat is a float as Jackson writes it: a whole number has a point too.
type javaFloat float32

// MarshalJSON fulfils json.Marshaler.
func (f javaFloat) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(f), 'f', -1, 32)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return []byte(text), nil
}

// remoteException is the form of errors of Hadoop's REST servers.
type remoteException struct {
	code                   int
	name, class, complaint string
}

func (e *remoteException) Error() string { return e.complaint }

// The exceptions of Hadoop's web services. The text of the first two begins with the exception that they wrap there.

func absent(text string) error {
	return &remoteException{http.StatusNotFound, "NotFoundException", "org.apache.hadoop.yarn.webapp.NotFoundException", "java.lang.Exception: " + text}
}

func wrong(text string) error {
	return &remoteException{http.StatusBadRequest, "BadRequestException", "org.apache.hadoop.yarn.webapp.BadRequestException", "java.lang.Exception: " + text}
}

func illegal(text string) error {
	return &remoteException{http.StatusBadRequest, "IllegalArgumentException", "java.lang.IllegalArgumentException", text}
}

// noConstant is what Java says of an unknown name of an enum.
func noConstant(enum, name string) error {
	return illegal("No enum constant org.apache.hadoop.yarn.api.records." + enum + "." + name)
}

// answer makes a handler of a function whose value it writes as JSON, in one line. Requests for another format are refused.
func answer(s *web.Site, value func(r *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code := http.StatusOK
		v, err := any(nil), error(nil)
		if takesJSON(r.Header.Get("Accept")) {
			v, err = value(r)
		} else {
			err = &remoteException{http.StatusNotAcceptable, "NotAcceptableException", "javax.ws.rs.NotAcceptableException", "there is no XML here: accept application/json"}
		}
		if err != nil {
			e, ok := errors.AsType[*remoteException](err)
			if !ok { // no fault of the request: the endpoint did not answer, and may soon
				s.Log.Debugf("a page: %v", err)
				e = &remoteException{http.StatusServiceUnavailable, "RetriableException", "org.apache.hadoop.ipc.RetriableException", s.Ref.Name + " does not answer: " + err.Error()}
			}
			code = e.code
			v = map[string]any{"RemoteException": struct {
				Exception string `json:"exception"`
				Message   string `json:"message"`
				Class     string `json:"javaClassName"`
			}{e.name, e.complaint, e.class}}
		}
		// To a buffer, since the code goes first. Jackson leaves <, > and & as they are.
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			s.Fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json;charset=utf-8")
		w.WriteHeader(code)
		_, _ = w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n"))) // the client may have gone
	})
}

// takesJSON reports whether an Accept header lets JSON through.
func takesJSON(accept string) bool {
	if strings.TrimSpace(accept) == "" {
		return true
	}
	for part := range strings.SplitSeq(accept, ",") {
		kind, _, err := mime.ParseMediaType(part)
		if err == nil && (kind == "*/*" || kind == "application/*" || kind == "application/json") {
			return true
		}
	}
	return false
}
