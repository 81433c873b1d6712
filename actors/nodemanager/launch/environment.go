//coherer:pure

package launch

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Environment is the container's environment beside what it inherits, in the order in which a shell may set it: a value that
// refers to $NAME comes after NAME. What the node knows wins over what the container's owner set. It mirrors
// ContainerLaunch.sanitizeEnv.
func (c *Container) Environment() []Variable {
	var own []Variable
	set := func(name, value string) { own = put(own, name, value) }
	if len(c.Tokens) > 0 {
		set("HADOOP_TOKEN_FILE_LOCATION", c.Dir+"/"+TokenFile)
	}
	set("CONTAINER_ID", c.ID)
	set("NM_HOST", c.Host)
	set("NM_PORT", strconv.Itoa(c.Port))
	set("NM_HTTP_PORT", strconv.Itoa(c.HTTPPort))
	set("LOCAL_DIRS", strings.Join(c.LocalDirs, ","))
	set("LOCAL_USER_DIRS", strings.Join(c.UserDirs, ","))
	set("LOG_DIRS", strings.Join(c.LogDirs, ","))
	set("USER", c.User)
	set("LOGNAME", c.User)
	set("HOME", "/home/")
	set("PWD", c.Dir)
	set("JVM_PID", "$$")
	for entry := range strings.SplitSeq(c.Admin, ",") {
		if name, value, ok := strings.Cut(entry, "="); ok && ValidName(name) && value != "$"+name {
			set(name, value)
		}
	}
	for _, s := range c.Services {
		set("NM_AUX_SERVICE_"+s.Name, base64.StdEncoding.EncodeToString(s.Data))
	}
	var users []Variable
	for _, v := range c.Env {
		// The node's value wins: a container must not claim another id or other directories.
		if !has(own, v.Name) {
			users = put(users, v.Name, expand(v.Value, c.LogDir))
		}
	}
	for _, v := range c.limits() {
		// The opposite: the owner may know better how many threads and how much memory its program wants.
		if !has(users, v.Name) {
			own = append(own, v)
		}
	}
	return append(own, inOrder(users)...)
}

// limits are the variables by which a Go program knows its cores and memory.
func (c *Container) limits() (out []Variable) {
	if c.VCores > 0 {
		out = append(out, Variable{"GOMAXPROCS", strconv.Itoa(c.VCores)})
	}
	if c.MemoryMB > 0 {
		out = append(out, Variable{"GOMEMLIMIT", strconv.FormatInt(c.MemoryMB, 10) + "MiB"})
	}
	return out
}

// put sets a variable, once.
func put(list []Variable, name, value string) []Variable {
	if i := slices.IndexFunc(list, func(v Variable) bool { return v.Name == name }); i >= 0 {
		list[i].Value = value
		return list
	}
	return append(list, Variable{name, value})
}

func has(list []Variable, name string) bool {
	return slices.ContainsFunc(list, func(v Variable) bool { return v.Name == name })
}

// inOrder puts each variable behind those that its value refers to, and keeps the order otherwise. Of those that refer to each
// other in a circle the first comes first. It mirrors ContainerLaunch.orderEnvByDependencies.
func inOrder(list []Variable) []Variable {
	at, entered := map[string]int{}, make([]bool, len(list))
	for i, v := range list {
		at[v.Name] = i
	}
	out := make([]Variable, 0, len(list))
	var visit func(i int)
	visit = func(i int) {
		if entered[i] {
			return
		}
		entered[i] = true // before its references: a circle ends here
		for _, name := range references(list[i].Value) {
			if j, ok := at[name]; ok {
				visit(j)
			}
		}
		out = append(out, list[i])
	}
	for i := range list {
		visit(i)
	}
	return out
}

// references are the names that a shell would fill in for $NAME and ${NAME...} in a text.
func references(text string) (names []string) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++ // \$ is a dollar
		case '$':
			rest := strings.TrimPrefix(text[i+1:], "{")
			n := 0
			for n < len(rest) && isNameByte(rest[n], n) {
				n++
			}
			names = append(names, rest[:n]) // "" is no variable's
		}
	}
	return names
}

// ValidName reports whether a shell takes name for a variable's.
func ValidName(name string) bool {
	for i := range len(name) {
		if !isNameByte(name[i], i) {
			return false
		}
	}
	return name != ""
}

func isNameByte(b byte, at int) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || at > 0 && b >= '0' && b <= '9'
}

// CheckNames reports the first variable whose name no shell takes.
func CheckNames(list []Variable) error {
	for _, v := range list {
		if !ValidName(v.Name) || strings.ContainsRune(v.Value, 0) {
			return fmt.Errorf("the environment variable %.80q cannot be set: want letters, digits and _, and a value without NUL bytes", v.Name)
		}
	}
	return nil
}
