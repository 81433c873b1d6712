//coherer:pure

package launch

import (
	"strings"
)

// Container describes the process of a container that is to be started.
type Container struct {
	User    string
	App, ID string
	// Host, Port and HTTPPort are the NodeManager's.
	Host           string
	Port, HTTPPort int
	MemoryMB       int64
	VCores         int
	// Env is what the container's owner set, Admin what the node's administrator did (NAME=VALUE separated by commas).
	Env   []Variable
	Admin string
	// Services are the auxiliary services of the node, with their data for the container.
	Services []Service
	// Command is joined by spaces and given to a shell.
	Command []string
	// Links are the names by which the container finds its resources.
	Links []Link
	// Tokens are its credentials.
	Tokens []byte

	// Dir is the work directory, LogDir where the output goes; Tokens are written to a file in Dir.
	Dir, LogDir string
	// LocalDirs are the application's directories on each disk, UserDirs the user's, LogDirs where there are logs of the
	// container.
	LocalDirs, UserDirs, LogDirs []string
	// Inherited is what the container has from its node unless it sets it itself.
	Inherited []Variable
}

// Variable is a variable of the environment.
type Variable struct{ Name, Value string }

// Service is an auxiliary service, with its data.
type Service struct {
	Name string
	Data []byte
}

// Link is a name in the work directory for what lies at Target.
type Link struct{ Name, Target string }

// TokenFile is the file in the work directory with the credentials, ScriptFile the one with the script.
const (
	TokenFile  = "container_tokens"
	ScriptFile = "launch_container.sh"
)

// expand fills in what only the node knows: <LOG_DIR> is the container's log directory, <CPS> the separator of paths, and
// {{NAME}} the variable NAME, for a shell to fill in. It mirrors ContainerLaunch.expandEnvironment.
func expand(text, logDir string) string {
	return strings.NewReplacer("<LOG_DIR>", logDir, "<CPS>", ":", "{{", "$", "}}", "").Replace(text)
}

// Line is the command line with everything expanded, for a shell: inside double quotes.
func (c *Container) Line() string { return expand(strings.Join(c.Command, " "), c.LogDir) }
