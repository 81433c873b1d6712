//coherer:pure

package submit

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/rpcenv/conf"
)

// unread is an option that nothing acts on when a Go program is submitted to one of managers in one of modes.
type unread struct {
	option   string
	managers Manager
	modes    Mode
	// refuse: the submission fails, since the application would miss what was asked for. Else the user is warned.
	refuse bool
	// why says what to do instead.
	why string
}

const (
	linked     = "a Go program has what it needs linked in: leave the option out"
	noJVM      = "it is for a JVM, and no JVM is started"
	noJar      = "a Go program has no class path: hand files out with --files"
	oneProcess = "a local master says how many cores there are, and executors share the driver's memory: use --driver-memory; for local-cluster use --conf"
	noUser     = "an application runs as the user of this process, or on YARN as HADOOP_USER_NAME says: leave the option out"
	noRealm    = "Kerberos is not spoken here: leave the option out; coherer's own tokens are settings, see coherer config show coherer"
)

// unreads are all of them. What each option does elsewhere is in rules, and in TestEachOptionIsUsedRefusedOrWarnedOf.
var unreads = []unread{
	{"--proxy-user", allManagers, allModes, true, noUser},
	{"--principal", allManagers, allModes, true, noRealm},
	{"--keytab", allManagers, allModes, true, noRealm},
	{"--packages", allManagers, allModes, true, linked},
	{"--exclude-packages", allManagers, allModes, true, linked},
	{"--repositories", allManagers, allModes, true, linked},
	{"--py-files", allManagers, allModes, true, linked},
	{"--jars", Standalone | Local, allModes, true, noJar},
	{"--driver-class-path", allManagers, allModes, false, noJVM},
	{"--driver-java-options", allManagers, allModes, false, noJVM},
	{"--driver-library-path", allManagers, allModes, false, noJVM},
	{"--driver-cores", allManagers, Client, false, "in client mode the driver has the cores of this machine"},
	{"--supervise", allManagers, Client, false, "only a driver in the cluster is started again: add --deploy-mode cluster"},
	{"--supervise", YARN, Cluster, false, "YARN starts an application master again, up to spark.yarn.maxAppAttempts times"},
	{"--executor-memory", Local, allModes, false, oneProcess},
	{"--executor-cores", Local, allModes, false, oneProcess},
	{"--total-executor-cores", Local, allModes, false, oneProcess},
	{"--num-executors", Local, allModes, false, oneProcess},
	{"--queue", Local, allModes, false, "without a cluster there are no queues"},
	{"--num-executors", Standalone, allModes, false, "a standalone cluster bounds cores: use --total-executor-cores and --executor-cores"},
	{"--queue", Standalone, allModes, false, "a standalone cluster has no queues"},
	{"--total-executor-cores", YARN, allModes, false, "YARN bounds executors: use --num-executors and --executor-cores"},
}

// CheckUnread returns an error for each option, given as such or by --conf, without which a Go program would run other than
// it was asked to: get finds the value of an option.
func CheckUnread(get func(option string) (conf.Setting, bool), m Manager, mode Mode) error {
	var problems []error
	for _, u := range unreads {
		if s, given := get(u.option); u.refuse && u.managers&m != 0 && u.modes&mode != 0 && given && byCommandLine(s, u.option) {
			problems = append(problems, fmt.Errorf("%s %s: nothing acts on it here: %s", named(s, u.option), s.Value, u.why))
		}
	}
	return errors.Join(problems...)
}

// byCommandLine reports whether this very submission asks for s. A file of defaults may serve many programs: it asks for
// nothing.
func byCommandLine(s conf.Setting, option string) bool {
	return s.From.Place == option || s.From.Place == "--conf"
}

// named is what the user wrote for an option: its name, or --conf and its setting.
func named(s conf.Setting, option string) string {
	if s.From.Place == option {
		return option
	}
	return s.From.Place + " " + s.Key
}

// warnUnread warns of the options of the command line without which the submission runs as well.
func (b *build) warnUnread() {
	if b.Kind != Program {
		return
	}
	for _, u := range unreads {
		if !u.refuse && b.is(u.managers, u.modes) && b.a.Has(u.option) {
			b.Warnings = append(b.Warnings, fmt.Sprintf("%s is ignored: %s", u.option, u.why))
		}
	}
}
