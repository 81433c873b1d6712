package ui

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Of what is not there the answer says so. None of it costs more than a look.
func TestWhatIsNotThere(t *testing.T) {
	h := served(t, events(t, "eventlog.jsonl", nil), 0)
	const app = "/applications/app-20261128211103-0000"
	for path, want := range map[string]struct {
		code int
		text string
	}{
		app + "/jobs?status=nosuch":                                                   {404, "NOSUCH is none of RUNNING"},
		app + "/stages?taskStatus=nosuch":                                             {404, "NOSUCH is none of"},
		app + "/executors/1/threads":                                                  {404, "no thread dump"},
		app + "/stages/0/0/taskList?length=x":                                         {404, "/taskList"},
		app + "/stages/0/0/taskList?sortBy=x":                                         {404, "/taskList"},
		app + "/stages/4294967296":                                                    {404, "/stages/4294967296"},
		app + "/stages/2/0/taskSummary":                                               {404, "No tasks reported metrics for 2 / 0 yet."},
		app + "/stages/0/0/taskSummary?quantiles=NaN":                                 {400, "Bad value for parameter"},
		app + "/stages/0/0/taskSummary?quantiles=" + strings.Repeat("1,", 1000) + "1": {400, "at most 1000"},
		"/applications/other/environment":                                             {404, "no such app: other"},
		"/applications?minDate=2027-01-01":                                            {200, "[ ]"},
		"/applications?maxDate=2026-01-01":                                            {200, "[ ]"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, apiRoot+path, nil))
		if w.Code != want.code || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("%.100s: %d %.200s, want %d %s", path, w.Code, w.Body, want.code, want.text)
		}
	}
}
