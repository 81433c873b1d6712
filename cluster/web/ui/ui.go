package ui

import (
	"context"
	"net/http"

	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/cluster/web"
)

// sparkVersion is the version of Spark whose API this is.
const sparkVersion = bus.SparkVersion

// Pages are what a driver serves; s.Ref is its LiveListenerBus.
func Pages(s web.Site) http.Handler {
	return s.Handler(newMux(&s, func(ctx context.Context, q status.Query) (any, error) {
		r, err := web.Ask(ctx, s.Env, s.Ref, bus.Query{Of: q})
		if err != nil {
			return nil, err
		}
		return r.Value, r.Err
	}))
}

func newMux(s *web.Site, ask Ask) *http.ServeMux {
	mux := http.NewServeMux()
	a := &api{ask: ask, fail: s.Fail}
	a.routes(mux)
	for _, path := range []string{"/{$}", "/jobs/{$}", "/stages/{$}", "/executors/{$}"} {
		mux.Handle("GET "+path, s.Page(templates, "index.html", a.page))
	}
	return mux
}
