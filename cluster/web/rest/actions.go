package rest

import (
	"fmt"
	"net/http"

	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/cluster/web/pretty"
	"github.com/coherer/coherer/messages/deploy"
)

// create submits a driver. It mirrors StandaloneSubmitRequestServlet.handleSubmit.
func (s *server) create(r *http.Request, _ string) (pretty.Object, error) {
	text, err := body(r)
	if err != nil {
		return nil, err
	}
	q, err := decode(text)
	if err != nil {
		return nil, err
	}
	d, err := s.describe(q)
	if err != nil {
		return nil, err
	}
	a, err := web.Ask(r.Context(), s.cfg.Env, s.cfg.Master, &deploy.RequestSubmitDriver{DriverDescription: d})
	if err != nil {
		return nil, err
	}
	// A Master that does not lead answers without an id; a client then tries the next one.
	o := response("CreateSubmissionResponse", a.GetMessage(), pretty.Field{Name: "success", Value: a.GetSuccess()})
	if a.DriverId != nil {
		o = append(o, pretty.Field{Name: "submissionId", Value: a.GetDriverId()})
	}
	if len(q.unknown) > 0 {
		o = append(o, pretty.Field{Name: "unknownFields", Value: q.unknown})
	}
	return o, nil
}

// kill ends a driver. It mirrors StandaloneKillRequestServlet.
func (s *server) kill(r *http.Request, id string) (pretty.Object, error) {
	if id == "" {
		return nil, &failure{http.StatusBadRequest, "Submission ID is missing in kill request."}
	}
	a, err := web.Ask(r.Context(), s.cfg.Env, s.cfg.Master, &deploy.RequestKillDriver{DriverId: id})
	return response("KillSubmissionResponse", a.GetMessage(),
		pretty.Field{Name: "submissionId", Value: id}, pretty.Field{Name: "success", Value: a.GetSuccess()}), err
}

// killAll ends all drivers. It mirrors StandaloneKillAllRequestServlet.
func (s *server) killAll(r *http.Request, _ string) (pretty.Object, error) {
	a, err := web.Ask(r.Context(), s.cfg.Env, s.cfg.Master, &deploy.RequestKillAllDrivers{})
	return response("KillAllSubmissionResponse", a.GetMessage(), pretty.Field{Name: "success", Value: a.GetSuccess()}), err
}

// clear makes the Master forget what has ended. It mirrors StandaloneClearRequestServlet.
func (s *server) clear(r *http.Request, _ string) (pretty.Object, error) {
	a, err := web.Ask(r.Context(), s.cfg.Env, s.cfg.Master, &deploy.RequestClearCompletedDriversAndApps{})
	return response("ClearResponse", "", pretty.Field{Name: "success", Value: a.GetValue()}), err
}

// readyz reports whether the Master can be used. It mirrors StandaloneReadyzRequestServlet.
func (s *server) readyz(r *http.Request, _ string) (pretty.Object, error) {
	a, err := web.Ask(r.Context(), s.cfg.Env, s.cfg.Master, &deploy.RequestReadyz{})
	if err == nil && !a.GetValue() {
		return nil, &failure{http.StatusServiceUnavailable, "Master is not ready."}
	}
	return response("ReadyzResponse", "", pretty.Field{Name: "success", Value: a.GetValue()}), err
}

// status returns a driver's state; of an unknown driver success is false. It mirrors StandaloneStatusRequestServlet.
func (s *server) status(r *http.Request, id string) (pretty.Object, error) {
	if id == "" {
		return nil, &failure{http.StatusBadRequest, "Submission ID is missing in status request."}
	}
	a, err := web.Ask(r.Context(), s.cfg.Env, s.cfg.Master, &deploy.RequestDriverStatus{DriverId: id})
	if err != nil {
		return nil, err
	}
	o := pretty.Object{
		{Name: "action", Value: "SubmissionStatusResponse"},
		{Name: "serverSparkVersion", Value: sparkVersion},
		{Name: "submissionId", Value: id},
		{Name: "success", Value: a.GetFound()},
	}
	// A field without a value is left out, as Jackson does with an Option that is None.
	add := func(name, value string, has bool) {
		if has {
			o = append(o, pretty.Field{Name: name, Value: value})
		}
	}
	add("driverState", a.GetState().String(), a.State != nil)
	add("workerId", a.GetWorkerId(), a.WorkerId != nil)
	add("workerHostPort", a.GetWorkerHostPort(), a.WorkerHostPort != nil)
	add("message", fmt.Sprintf("Exception from the cluster:\n%s", a.GetException()), a.Exception != nil)
	return o, nil
}
