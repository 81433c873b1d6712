//coherer:pure

package submit

import "path"

// launch decides what is started and with which arguments.
func (b *build) launch() {
	switch {
	case b.Mode == Client:
		b.MainClass, b.ChildArgs = b.main, b.args
	case b.Manager == Standalone:
		b.launchStandalone()
	case b.Manager == YARN:
		b.launchYARN()
	default:
		b.launchKubernetes()
	}
	if b.Manager == YARN && b.python() {
		b.set(YARNIsPython.Key(), "true")
	}
	if b.a.Has("--verbose") && b.MainClass == sqlShell {
		b.ChildArgs = append(b.ChildArgs, "--verbose")
	}
}

// class is the main class of the application in a command; a Go program is called by its name when it has none.
func (b *build) class() string {
	if b.main == "" {
		return path.Base(b.Resource)
	}
	return b.main
}

// program is the application in the command of a driver: Spark's word for what needs no file when it is built in.
func (b *build) program() string {
	if b.BuiltIn {
		return noResource
	}
	return b.Resource
}

func (b *build) launchStandalone() {
	if b.REST = b.a.REST; b.REST {
		b.MainClass = restApp
		b.ChildArgs = append([]string{b.program(), b.class()}, b.args...)
		return
	}
	b.MainClass = legacyApp
	if b.Supervise {
		b.ChildArgs = append(b.ChildArgs, "--supervise")
	}
	for _, o := range []struct{ option, flag string }{{"--driver-memory", "--memory"}, {"--driver-cores", "--cores"}} {
		if s, ok := b.a.Get(o.option); ok {
			b.ChildArgs = append(b.ChildArgs, o.flag, s.Value)
		}
	}
	b.ChildArgs = append(b.ChildArgs, "launch", b.Master, b.program(), b.class())
	b.ChildArgs = append(b.ChildArgs, b.args...)
}

func (b *build) launchYARN() {
	b.MainClass = yarnApp
	switch {
	case b.python():
		b.ChildArgs = []string{"--primary-py-file", b.Resource, "--class", pythonRunner}
	case b.r():
		b.ChildArgs = []string{"--primary-r-file", path.Base(b.Resource), "--class", rRunner}
	case b.Kind == Internal:
		b.ChildArgs = []string{"--class", b.class()}
	default:
		b.ChildArgs = []string{"--jar", b.Resource, "--class", b.class()}
	}
	b.eachArg()
}

func (b *build) launchKubernetes() {
	b.MainClass = kubernetesApp
	switch {
	case b.python():
		b.ChildArgs = []string{"--primary-py-file", b.Resource, "--main-class", pythonRunner}
	case b.r():
		b.ChildArgs = []string{"--primary-r-file", b.Resource, "--main-class", rRunner}
	case b.Kind == Internal:
		b.ChildArgs = []string{"--main-class", b.class()}
	default:
		b.ChildArgs = []string{"--primary-java-resource", b.Resource, "--main-class", b.class()}
	}
	b.eachArg()
	if user, ok := b.a.Get("--proxy-user"); ok {
		b.ChildArgs = append(b.ChildArgs, "--proxy-user", user.Value)
	}
}

// eachArg passes each of the application's arguments behind --arg.
func (b *build) eachArg() {
	for _, arg := range b.args {
		b.ChildArgs = append(b.ChildArgs, "--arg", arg)
	}
}

// pathKeys are settings whose paths become URIs.
var pathKeys = []string{
	Jars.Key(), Files.Key(), Archives.Key(),
	YARNDistFiles.Key(), YARNDistArchives.Key(), YARNDistJars.Key(),
}
