//coherer:pure

package fair

import (
	"slices"
	"strings"
)

// ACL says who may do a thing. The zero value allows nobody. It mirrors Hadoop's AccessControlList.
type ACL struct {
	Everybody bool
	Users     []string
	Groups    []string
}

// ParseACL reads "user,user group,group": users to the first space, groups behind it. Users or groups that are * are
// everybody; a text that begins with a space has groups only. Nothing is an error.
func ParseACL(text string) ACL {
	users, groups, _ := strings.Cut(text, " ")
	if strings.TrimSpace(users) == "*" || strings.TrimSpace(groups) == "*" {
		return ACL{Everybody: true}
	}
	return ACL{Users: names(users), Groups: names(groups)}
}

func names(list string) []string {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Allows reports whether the user, or one of the groups that it is in, is among them.
func (a ACL) Allows(user string, groups []string) bool {
	if a.Everybody || slices.Contains(a.Users, user) {
		return true
	}
	return slices.ContainsFunc(groups, func(g string) bool { return slices.Contains(a.Groups, g) })
}
