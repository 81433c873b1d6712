//coherer:pure

package submit

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Classes of Spark that start what is not a class of the user's.
const (
	pythonRunner  = "org.apache.spark.deploy.PythonRunner"
	pythonGateway = "org.apache.spark.api.python.PythonGatewayServer"
	rRunner       = "org.apache.spark.deploy.RRunner"
	rBackend      = "org.apache.spark.api.r.RBackend"

	yarnApp       = "org.apache.spark.deploy.yarn.YarnClusterApplication"
	restApp       = "org.apache.spark.deploy.rest.RestSubmissionClientApp"
	legacyApp     = "org.apache.spark.deploy.ClientApp"
	kubernetesApp = "org.apache.spark.deploy.k8s.submit.KubernetesClientApplication"
)

// runners puts Spark's runner before a Python or R application in client mode, and the application among the files where
// executors need it.
func (b *build) runners() error {
	pyFiles := b.lists["--py-files"].Value
	switch {
	case b.Resource == pysparkShell:
		b.main = pythonGateway
	case b.python() && b.Mode == Client:
		b.main = pythonRunner
		b.args = append([]string{b.Resource, pyFiles}, b.args...) // PythonRunner wants both, also an empty pyFiles
	case b.Resource == sparkRShell:
		b.main = rBackend
	case b.r() && b.Mode == Client:
		b.main = rRunner
		b.args = append([]string{b.Resource}, b.args...)
	}
	if b.Mode == Client && b.Manager != YARN { // on YARN a rule makes spark.yarn.dist.pyFiles of them
		b.addTo("--files", pyFiles)
	}
	if b.Mode == Client && pyFiles != "" {
		b.Properties.Set(conf.Setting{Pair: conf.Pair{Key: submitPyFiles.Key(), Value: pyFiles}, From: b.lists["--py-files"].From})
	}
	if b.Kind == R && (b.Mode == Client || b.is(YARN, Cluster)) {
		b.addTo("--files", b.Resource)
	}
	return b.sparkR()
}

// sparkR adds what R needs on YARN.
func (b *build) sparkR() error {
	if !b.r() || b.Manager != YARN {
		return nil
	}
	home := b.in.Env["SPARK_HOME"]
	if home == "" {
		return errNoSparkHome
	}
	b.addTo("--archives", resolveURI(b.in.Dir, path.Join(home, "R", "lib", "sparkr.zip"))+"#sparkr")
	return nil
}

// addTo adds to the list of an option.
func (b *build) addTo(option, list string) {
	if list == "" {
		return
	}
	s, had := b.lists[option]
	if !had {
		s.From = decided
	}
	s.Value = mergeLists(s.Value, list)
	b.lists[option] = s
}

// assign makes settings of options by the rules.
func (b *build) assign() {
	for _, r := range rules {
		if !b.is(r.managers, r.modes) {
			continue
		}
		// The lists first: runners may have added to what the command line has.
		s, ok := b.lists[r.option]
		if !ok {
			s, ok = b.option(r.option)
		}
		if !ok {
			continue
		}
		s.Key = r.key
		if old, _ := b.Properties.Get(r.key); r.merge {
			s.Value = mergeLists(old.Value, s.Value)
		}
		b.Properties.Set(s)
	}
	if b.is(Standalone, Cluster) { // always set, as in Spark; the origin is the user's where the value is
		from := decided
		if b.a.Has("--supervise") {
			from = conf.Origin{Place: "--supervise"}
		} else if s, set := b.Properties.Get(driverSupervise.Key()); set {
			from = s.From
		}
		b.Properties.Set(conf.Setting{Pair: conf.Pair{Key: driverSupervise.Key(), Value: strconv.FormatBool(b.Supervise)}, From: from})
	}
	if jars, ok := b.lists["--jars"]; ok && b.Mode == Client {
		jars.Key = replLocalJars.Key()
		b.Properties.Set(jars)
	}
	if b.Kind == Shell {
		b.Properties.SetMissing(conf.Setting{Pair: conf.Pair{Key: "spark.ui.showConsoleProgress", Value: "true"}, From: decided})
	}
}

// option is what an option is worth: master and mode have defaults, which become settings too.
func (b *build) option(name string) (conf.Setting, bool) {
	s, ok := b.a.Get(name)
	switch name {
	case "--master":
		if _, remote := b.a.Get("--remote"); remote && !ok { // a Spark Connect server takes the place of a master
			return s, false
		}
		s.Value, ok = b.Master, true
	case "--deploy-mode":
		s.Value, ok = b.Mode.String(), true
	}
	return s, ok
}

// jars adds the application's own jar to spark.jars where Spark does, and makes the class path.
func (b *build) jars() {
	userJar := b.Kind == Jar
	listed := strings.Split(b.lists["--jars"].Value, ",")
	if listed[0] == "" {
		listed = nil
	}
	if b.submitInDriver() {
		b.ClassPath = append(b.ClassPath, ".")
	}
	if b.Mode == Client || b.is(YARN, Cluster) {
		if userJar {
			b.ClassPath = append(b.ClassPath, b.Resource)
		}
		b.ClassPath = append(b.ClassPath, listed...)
	}
	if !userJar || b.submitInDriver() || b.is(YARN, Cluster) {
		return // inside a pod the first submission has added it; on YARN in cluster mode --jar of launchYARN names it
	}
	s, set := b.Properties.Get(Jars.Key())
	if !set {
		s = conf.Setting{Pair: conf.Pair{Key: Jars.Key()}, From: decided}
	}
	s.Value = mergeLists(s.Value, b.Resource)
	b.Properties.Set(s)
}

// finish makes URIs of paths, takes away what is wrong in cluster mode and says when all this was.
func (b *build) finish() error {
	if s, set := b.Properties.Get(DriverHost.Key()); set && b.Mode == Cluster {
		b.Properties.Remove(s.Key)
		b.Removed = append(b.Removed, Removal{s, "the driver's machine is not known before it runs"})
	}
	for _, key := range pathKeys {
		if s, set := b.Properties.Get(key); set {
			s.Value = resolveURIs(b.in.Dir, s.Value)
			b.Properties.Set(s)
		}
	}
	if err := b.pyFiles(); err != nil {
		return err
	}
	b.Properties.SetMissing(conf.Setting{
		Pair: conf.Pair{Key: AppSubmitTime.Key(), Value: strconv.FormatInt(b.in.Submitted, 10)}, From: decided,
	})
	b.proxyUser()
	b.warnUnread()
	b.notes()
	return nil
}

// pyFiles makes the Python files URIs, and plain paths where this process runs them. Spark sets the key in any case.
func (b *build) pyFiles() error {
	s, set := b.Properties.Get(submitPyFiles.Key())
	if !set && b.Kind == Program {
		return nil
	}
	if !set {
		s = conf.Setting{Pair: conf.Pair{Key: submitPyFiles.Key()}, From: decided}
	}
	s.Value = resolveURIs(b.in.Dir, s.Value)
	var err error
	if b.Mode == Client {
		s.Value, err = formatPythonPaths(s.Value)
	}
	b.Properties.Set(s)
	return err
}

// proxyUser drops the class path of a submission for another user, unless a setting allows it.
func (b *build) proxyUser() {
	const allow = "spark.submit.proxyUser.allowCustomClasspathInClusterMode"
	_, acts := b.a.Get("--proxy-user")
	allowed, _ := b.Properties.Get(allow)
	if !acts || b.Mode != Cluster || allowed.Value == "true" || len(b.ClassPath) == 0 {
		return
	}
	b.Warnings = append(b.Warnings, "Ignore classpath "+strings.Join(b.ClassPath, ", ")+
		" with proxy user specified in Cluster mode when "+allow+" is disabled")
	b.ClassPath = nil
}

// notes say what this package leaves to others.
func (b *build) notes() {
	all := append([]string{b.Resource}, strings.Split(mergeLists(b.lists["--jars"].Value, b.lists["--py-files"].Value), ",")...)
	all = slices.DeleteFunc(all, func(uri string) bool { return !remote(uri) || b.BuiltIn })
	if b.Mode == Client && len(all) > 0 {
		b.note("fetched first: %s", strings.Join(all, ", "))
	}
	if packages, ok := b.a.Get("--packages"); ok && !b.is(Standalone, Cluster) {
		b.note("resolved with Ivy first and added to the jars: %s", packages.Value)
	}
	if b.is(YARN, Cluster) {
		b.note("%s drops spark.jars, spark.files and spark.archives: YARN hands out what spark.yarn.dist.* name", path.Ext(yarnApp)[1:])
	}
	if b.REST {
		b.note("when no REST server answers, the submission goes by RPC: %s", legacyApp)
	}
	if b.is(Standalone, Cluster) && !b.BuiltIn {
		b.note("%s has to be a path that every Worker sees, or an http(s) address: submit copies nothing", b.Resource)
	}
}
