//coherer:pure

package yarnclient

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// monitor decides which reports the log shows: each new state, and every n-th report without one.
type monitor struct {
	last  yarn.YarnApplicationState
	since int
}

// see takes a report's state: show says whether the log shows the state, changed whether it has the details, too.
func (m *monitor) see(state yarn.YarnApplicationState, every int) (show, changed bool) {
	m.since++
	changed = state != m.last
	if show = changed || m.since >= every; show {
		m.since = 0
	}
	m.last = state
	return show, changed
}

// over reports whether an application in that state has ended.
func over(s yarn.YarnApplicationState) bool {
	switch s {
	case yarn.YarnApplicationState_FINISHED, yarn.YarnApplicationState_FAILED, yarn.YarnApplicationState_KILLED:
		return true
	}
	return false
}

// accepted reports whether the ResourceManager is past the first steps with an application.
func accepted(s yarn.YarnApplicationState) bool {
	return s != yarn.YarnApplicationState_NEW && s != yarn.YarnApplicationState_NEW_SAVING && s != yarn.YarnApplicationState_YAS_UNSET
}

// outcome is nil when an application that has ended succeeded. It mirrors the end of Client.run.
func outcome(id string, state yarn.YarnApplicationState, final yarn.FinalApplicationStatus, diagnostics string) error {
	var text string
	switch {
	case state == yarn.YarnApplicationState_FAILED || final == yarn.FinalApplicationStatus_APP_FAILED:
		text = fmt.Sprintf("Application %s finished with failed status", id)
	case state == yarn.YarnApplicationState_KILLED || final == yarn.FinalApplicationStatus_APP_KILLED:
		text = fmt.Sprintf("Application %s is killed", id)
	case final == yarn.FinalApplicationStatus_APP_UNDEFINED:
		text = fmt.Sprintf("The final status of application %s is undefined", id)
	default:
		return nil
	}
	if diagnostics != "" {
		text += ": " + diagnostics
	}
	return errors.New(text)
}

// hint says what to do about a refusal that says little: the queue of a user called root would be the root of all queues.
func hint(diagnostics, user string) string {
	if user != "root" || !strings.Contains(diagnostics, "root is not a leaf queue") {
		return ""
	}
	return ": without a queue, or with the queue default, it is called as the user: name another with --queue, such as root.default, or another user with HADOOP_USER_NAME"
}

// logReport logs a report, each of its details in a line of its own, since a line of the log shows a line feed as \n.
func (e *Client) logReport(c *rpcenv.Context, r *yarn.ApplicationReport, withDetails bool) {
	c.Log().Infof("Application report for %s (state: %s)", e.id, r.GetYarnApplicationState())
	if withDetails {
		for _, line := range details(r) {
			c.Log().Info(line)
		}
	}
}

// details are the lines of Client.formatReportDetails.
func details(r *yarn.ApplicationReport) []string {
	return []string{
		"  diagnostics: " + orNA(r.GetDiagnostics()),
		"  ApplicationMaster host: " + orNA(r.GetHost()),
		fmt.Sprintf("  ApplicationMaster RPC port: %d", r.GetRpcPort()),
		"  queue: " + r.GetQueue(),
		"  start time: " + time.UnixMilli(r.GetStartTime()).UTC().Format(time.RFC3339),
		"  final status: " + strings.TrimPrefix(r.GetFinalApplicationStatus().String(), "APP_"),
		"  tracking URL: " + orNA(r.GetTrackingUrl()),
		"  user: " + r.GetUser(),
	}
}

func orNA(s string) string {
	if s == "" {
		return "N/A"
	}
	return s
}
