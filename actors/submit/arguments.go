//coherer:pure

package submit

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Input is all that a submission looks at beside its command line. The caller reads it: this package touches nothing.
type Input struct {
	// Env is the environment.
	Env map[string]string
	// Dir is the absolute path of the folder from which relative paths start.
	Dir string
	// Properties are those of --properties-file, Extra of each --extra-properties-file in order, Defaults of
	// spark-defaults.conf (see CommandLine.WantsDefaults).
	Properties []conf.Setting
	Extra      [][]conf.Setting
	Defaults   []conf.Setting
	// Hadoop are those of yarn-site.xml and core-site.xml in YARN_CONF_DIR and HADOOP_CONF_DIR.
	Hadoop []conf.Setting
	// BuiltIn are the names of applications that need no file.
	BuiltIn []string
	// JarClass is the Main-Class of the manifest when the primary resource is a jar; JarErr is why it could not be read.
	JarClass string
	JarErr   error
	// Submitted is the time in milliseconds since 1970.
	Submitted int64
}

// Arguments are a submission with everything looked up: its options, the settings, the environment. It mirrors
// SparkSubmitArguments.
type Arguments struct {
	CommandLine
	// Kind is what sort of application Resource is, Resource itself a URI, unless it is no file.
	Kind     Kind
	Resource string
	// BuiltIn: Resource is the name of a built-in application.
	BuiltIn bool
	// Settings are those of --conf and the files, the stronger over the weaker.
	Settings conf.Settings
	// REST: a submission to a standalone cluster tries REST first.
	REST bool
	// Warnings are for the user.
	Warnings []string

	options map[string]conf.Setting
}

// Get is the value of an option, by its long name: what the command line says, else its setting, else the environment.
func (a *Arguments) Get(option string) (conf.Setting, bool) {
	s, ok := a.options[option]
	return s, ok
}

// text is Get's value, "" for none.
func (a *Arguments) text(option string) string { return a.options[option].Value }

// Master is the master URL, local[*] by default.
func (a *Arguments) Master() string {
	if s, ok := a.Get("--master"); ok {
		return s.Value
	}
	return "local[*]"
}

// Cluster reports whether the deploy mode is cluster.
func (a *Arguments) Cluster() bool { return a.text("--deploy-mode") == "cluster" }

// Resolve looks everything up that a command line leaves open, then checks it; the error joins all that is wrong. Settings
// come from --conf, the extra files (later ones win), the properties file and the defaults, in that order of strength;
// options win over settings, settings over the environment.
func Resolve(c *CommandLine, in Input) (*Arguments, error) {
	a := &Arguments{CommandLine: *c, options: map[string]conf.Setting{}}
	a.Settings.Set(c.Conf...)
	for _, extra := range slices.Backward(in.Extra) {
		a.Settings.SetMissing(extra...)
	}
	a.Settings.SetMissing(in.Properties...)
	if c.WantsDefaults() {
		a.Settings.SetMissing(in.Defaults...)
	}
	a.dropForeign()
	for _, o := range options {
		a.lookUp(o, in)
	}
	// Before name and validate, which ask whether the master is yarn.
	bad := a.resourceManager()
	a.resource(in)
	a.name(in)
	err := a.rest()
	return a, errors.Join(bad, err, a.validate(in))
}

// resourceManager takes yarn://HOST:PORT, as this program's own commands name a ResourceManager, for yarn and its address.
func (a *Arguments) resourceManager() error {
	master := a.options["--master"]
	if !strings.HasPrefix(master.Value, "yarn://") {
		return nil
	}
	at, err := rpcenv.ParseYARNURL(master.Value)
	if err != nil {
		return fmt.Errorf("%s %s: %w, or yarn", master.From, master.Value, err)
	}
	master.Value = "yarn"
	a.options["--master"] = master
	a.Settings.Set(conf.Setting{Pair: conf.Pair{Key: rmAddress, Value: at.String()}, From: master.From})
	return nil
}

// dropForeign drops settings that are neither Spark's nor Coherer's.
func (a *Arguments) dropForeign() {
	for _, s := range a.Settings.Sorted() {
		if !strings.HasPrefix(s.Key, "spark.") && !strings.HasPrefix(s.Key, "coherer.") {
			a.Settings.Remove(s.Key)
			a.Warnings = append(a.Warnings, fmt.Sprintf("Ignoring non-Spark config property: %s (%s)", s.Key, s.From))
		}
	}
}

// lookUp finds the value of one option.
func (a *Arguments) lookUp(o Option, in Input) {
	if value, given := a.Value(o.Name); given {
		switch o.Name {
		case "--jars", "--files", "--archives", "--py-files": // those of settings become URIs in finish
			value = resolveURIs(in.Dir, value)
		}
		a.options[o.Name] = conf.Setting{Pair: conf.Pair{Key: o.Key, Value: value}, From: conf.Origin{Place: o.Name}}
		return
	}
	if o.Value == "" {
		return // a switch is on only when it is given
	}
	for _, key := range append([]string{o.Key}, o.Else...) {
		if s, set := a.Settings.Get(key); set {
			a.options[o.Name] = s
			return
		}
	}
	if value := in.Env[o.Env]; value != "" {
		a.options[o.Name] = conf.Setting{Pair: conf.Pair{Key: o.Key, Value: value}, From: conf.Env(o.Env)}
	}
}

// resource finds out what the application is.
func (a *Arguments) resource(in Input) {
	a.Resource = a.CommandLine.Resource
	if a.Resource == "" {
		return
	}
	for _, name := range in.BuiltIn {
		a.BuiltIn = a.BuiltIn || name == a.Resource
	}
	if a.Kind = KindOf(a.Resource); a.BuiltIn || a.Kind == Shell || a.Kind == Internal {
		return
	}
	a.Resource = resolveURI(in.Dir, a.Resource)
}

// name finds the application's name: on YARN a variable of its own, then the main class, then the file.
func (a *Arguments) name(in Input) {
	if _, named := a.Get("--name"); named {
		return
	}
	set := func(name string, from conf.Origin) {
		a.options["--name"] = conf.Setting{Pair: conf.Pair{Key: AppName.Key(), Value: name}, From: from}
	}
	class, hasClass := a.Get("--class")
	switch name := in.Env["SPARK_YARN_APP_NAME"]; {
	case name != "" && strings.HasPrefix(a.Master(), "yarn"):
		set(name, conf.Env("SPARK_YARN_APP_NAME"))
	case hasClass:
		set(class.Value, class.From)
	case a.Resource != "":
		set(path.Base(a.Resource), decided)
	}
}

// decided is the origin of what this package decides.
var decided = conf.Origin{Place: "submit"}

// rest finds out whether REST is wanted.
func (a *Arguments) rest() error {
	s, set := a.Settings.Get(MasterRESTEnabled.Key())
	if !set {
		return nil
	}
	on, err := strconv.ParseBool(strings.ToLower(s.Value))
	if err != nil {
		return fmt.Errorf("%s: %s = %q: want true or false", s.From, s.Key, s.Value)
	}
	a.REST = on
	return nil
}
