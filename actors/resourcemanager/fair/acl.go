//coherer:pure

package fair

import (
	"slices"
	"strings"
)

// ACL lists the users and groups that may do a thing. The zero value allows nobody. It mirrors Hadoop's AccessControlList.
type ACL struct {
	Everybody bool
	Users     []string
	Groups    []string
}

// parseACL reads "user,user group,group": users up to the first space, then groups. A * for either means everybody; a text that
// begins with a space has groups only. Every text is valid.
func parseACL(text string) ACL {
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

// Allows reports whether the list has the user or one of the user's groups.
func (a ACL) Allows(user string, groups []string) bool {
	if a.Everybody || slices.Contains(a.Users, user) {
		return true
	}
	return slices.ContainsFunc(groups, func(g string) bool { return slices.Contains(a.Groups, g) })
}
