//coherer:pure

package launch

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/ids"
)

// Script is what a shell runs in the work directory: it sets the environment, makes the links, and becomes the command. What
// it says itself goes to prelaunch.out and prelaunch.err in the log directory, and what the command does not redirect too. It
// mirrors what ContainerLaunch writes to launch_container.sh. The shell of the command heeds SIGTERM when what it waits for has
// ended, so that this has its time to end by itself: it is the leader of the process group, which goes with it. parentFD is the
// descriptor whose end of file says that the NodeManager is gone; below 0: without one.
func (c *Container) Script(parentFD int) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("#!/bin/bash")
	line("")
	line("set -o pipefail -e")
	line("export PRELAUNCH_OUT=%s", literal(c.LogDir+"/prelaunch.out"))
	line(`exec >"${PRELAUNCH_OUT}"`)
	line("export PRELAUNCH_ERR=%s", literal(c.LogDir+"/prelaunch.err"))
	line(`exec 2>"${PRELAUNCH_ERR}"`)
	// A process beside the command kills the whole group at that end of file. It ignores SIGTERM, to outlast a soft kill.
	if parentFD >= 0 {
		line("(trap '' TERM; read -r -u %d _ || true; kill -KILL -- -$$) </dev/null >/dev/null 2>&1 &", parentFD)
	}
	line(`echo "Setting up env variables"`)
	env := c.Environment()
	for _, v := range c.Inherited {
		if !has(env, v.Name) {
			line("export %s=${%s:-%s}", v.Name, v.Name, literal(v.Value))
		}
	}
	for _, v := range env {
		line("export %s=%s", v.Name, expanding(v.Value))
	}
	line(`echo "Setting up job resources"`)
	var made []string
	for _, l := range c.Links {
		if dir := path.Dir(l.Name); dir != "." && !slices.Contains(made, dir) {
			made = append(made, dir)
			line("mkdir -p -- %s", literal(dir))
		}
		line("ln -sf -- %s %s", literal(l.Target), literal(l.Name))
	}
	line(`echo "Launching container"`)
	line(`exec /bin/bash -c "trap 'exit 143' TERM; %s"`, c.Line())
	return b.String()
}

// literal is text between double quotes, of which a shell expands nothing.
func literal(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", "$", `\$`).Replace(text) + `"`
}

// expanding is text between double quotes, of which a shell expands $NAME, and nothing else.
func expanding(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch text[i] {
		case '\\':
			// Before a dollar the backslash stays as it is: \$ is a dollar for the shell, too.
			if i+1 == len(text) || text[i+1] != '$' {
				b.WriteByte('\\')
			}
		case '"', '`':
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	b.WriteByte('"')
	return b.String()
}

// CheckLink reports whether a name leads out of the work directory, or would hide what the node puts there.
func CheckLink(name string) error {
	clean := path.Clean(name)
	switch {
	case path.IsAbs(name) || clean == "." || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsAny(name, "\x00\n"):
		return fmt.Errorf("the link %.*q leads out of the container's directory: want a relative path below it", ids.Max, name)
	case clean == TokenFile || clean == ScriptFile:
		return fmt.Errorf("the link %s would replace a file of the node: want another name", clean)
	}
	return nil
}
