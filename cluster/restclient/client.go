package restclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

const (
	// answerTime is how long an answer may take, as in Spark.
	answerTime = 10 * time.Second
	// statusEvery and statusTries are how a submission's first state is found out.
	statusEvery = time.Second
	statusTries = 10
	// maxAnswer bounds an answer, in bytes.
	maxAnswer = 1 << 20

	base = "/v1/submissions/"
)

// ErrNoServer is that no Master's REST server could be reached: nothing was submitted.
var ErrNoServer = errors.New("no REST server answers")

// Client speaks to the Masters of one cluster. Its methods may be called from any goroutine.
type Client struct {
	masters []rpcenv.Address
	token   string
	http    *http.Client
}

// New makes a Client of the Masters' REST addresses, tried in their order. token is the bearer token that a cluster with
// coherer.rest.tokenFile wants, or "".
func New(masters []rpcenv.Address, token string) *Client {
	return newClient(masters, token, &http.Transport{
		DialContext: (&net.Dialer{Timeout: answerTime}).DialContext, ResponseHeaderTimeout: answerTime, DisableKeepAlives: true,
	})
}

func newClient(masters []rpcenv.Address, token string, t http.RoundTripper) *Client {
	return &Client{masters, token, &http.Client{
		Transport: t, Timeout: answerTime,
		CheckRedirect: func(r *http.Request, _ []*http.Request) error { // the token and the settings are for the Masters alone
			return fmt.Errorf("it leads elsewhere, to %s", r.URL)
		},
	}}
}

// Create submits s. The answer has Success.
func (c *Client) Create(ctx context.Context, s Submission) (*Response, error) {
	body, err := s.request()
	if err != nil {
		return nil, err
	}
	return c.each(ctx, http.MethodPost, "create", body, "CreateSubmissionResponse")
}

// Kill ends the driver id. The answer has Success.
func (c *Client) Kill(ctx context.Context, id string) (*Response, error) {
	return c.about(ctx, http.MethodPost, "kill/", id, "KillSubmissionResponse")
}

// Status is the state of the driver id. The answer has Success: the driver is known.
func (c *Client) Status(ctx context.Context, id string) (*Response, error) {
	return c.about(ctx, http.MethodGet, "status/", id, "SubmissionStatusResponse")
}

// FirstStatus is the state of a driver that was just submitted: it is asked for until a Master knows the driver, ten times
// with a second between.
func (c *Client) FirstStatus(ctx context.Context, id string) (*Response, error) {
	for try := 1; ; try++ {
		r, err := c.Status(ctx, id)
		if err == nil || try == statusTries {
			return r, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(statusEvery):
		}
	}
}

// about asks about one submission.
func (c *Client) about(ctx context.Context, method, what, id, action string) (*Response, error) {
	if id == "" || id == "." || id == ".." || strings.ContainsAny(id, "/\\") {
		return nil, fmt.Errorf("%q is no id of a submission: want one such as driver-20261128083340-0000", id)
	}
	return c.each(ctx, method, what+url.PathEscape(id), nil, action)
}

// each asks the Masters until one has done it.
func (c *Client) each(ctx context.Context, method, path string, body []byte, action string) (*Response, error) {
	var reasons []error
	unreached := 0
	for _, master := range c.masters {
		r, err := c.ask(ctx, master, method, path, body)
		// A Master that does not lead refuses, so a refusal is no reason to stop, nor is an error of one of them.
		switch {
		case errors.Is(err, ErrNoServer):
			unreached++
		case err != nil:
		case r.Action != action:
			err = fmt.Errorf("%s: %s", r.Action, r.Message)
			if r.HighestProtocolVersion != "" {
				err = fmt.Errorf("%w (it speaks %s at most)", err, r.HighestProtocolVersion)
			}
		case !r.Success:
			err = fmt.Errorf("it was refused: %s", r.Message)
			if r.Message == "" {
				err = errors.New("the driver is not known there")
			}
		default:
			return r, nil
		}
		reasons = append(reasons, fmt.Errorf("%s: %w", master, err))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	err := errors.Join(reasons...)
	if unreached < len(reasons) { // one may have done it: the caller must not try another way
		return nil, withoutNoServer{err}
	}
	return nil, fmt.Errorf("%w: %w", ErrNoServer, err)
}

// noServer is the reason why one Master's REST server was not reached. ErrNoServer, in the error of all, says that none answers.
type noServer struct{ error }

func (noServer) Is(target error) bool { return target == ErrNoServer }
func (e noServer) Unwrap() error      { return e.error }

// withoutNoServer is an error of several Masters of which only some could not be reached.
type withoutNoServer struct{ err error }

func (e withoutNoServer) Error() string { return e.err.Error() }

// ask asks one Master. Before it gets a command, it must have shown that it is a REST server: so ErrNoServer means that nothing
// was done, also at the Master's RPC port.
func (c *Client) ask(ctx context.Context, master rpcenv.Address, method, path string, body []byte) (*Response, error) {
	if method != http.MethodGet {
		probe, err := c.send(ctx, master, http.MethodGet, "readyz", nil)
		if err != nil {
			return nil, noServer{err}
		}
		probe.Body.Close() // any answer will do: older Sparks do not know the question
	}
	answer, err := c.send(ctx, master, method, path, body)
	switch {
	case err != nil && method == http.MethodGet:
		return nil, noServer{err}
	case err != nil:
		return nil, fmt.Errorf("No response from server, which may have done it: %w", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("No response from server, which may have done it: %w", err)
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	case len(text) == 0 && answer.StatusCode == http.StatusOK:
		return nil, errors.New("Server returned empty body")
	case answer.StatusCode != http.StatusOK && !strings.Contains(answer.Header.Get("Content-Type"), "json"):
		return nil, fmt.Errorf("Server responded with error: %s: %.500s", answer.Status, text)
	}
	return decode(text)
}

// send sends one request.
func (c *Client) send(ctx context.Context, master rpcenv.Address, method, path string, body []byte) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, method, "http://"+master.String()+base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Content-Type", "application/json; charset=utf-8")
	if c.token != "" {
		q.Header.Set("Authorization", "Bearer "+c.token)
	}
	return c.http.Do(q)
}
