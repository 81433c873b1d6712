package fault

import (
	"fmt"
	"strings"
)

// Pattern chooses messages: FROM->TO:MESSAGE. FROM and TO are names of processes or Envs, or ENV/ENDPOINT; MESSAGE is a
// message's short name. Each may be `*`, which is any.
type Pattern struct{ From, To, Message string }

// String is the form that ParsePattern reads.
func (p Pattern) String() string { return p.From + "->" + p.To + ":" + p.Message }

// IsZero reports whether p is no pattern.
func (p Pattern) IsZero() bool { return p == Pattern{} }

// ParsePattern reads FROM->TO:MESSAGE.
func ParsePattern(s string) (Pattern, error) {
	from, rest, ok := strings.Cut(s, "->")
	to, message, ok2 := strings.Cut(rest, ":")
	p := Pattern{from, to, message}
	if !ok || !ok2 || !isName(from) || !isName(to) || !isName(message) {
		return Pattern{}, fmt.Errorf("pattern %q: want FROM->TO:MESSAGE, for example W1->M:Heartbeat", s)
	}
	return p, nil
}

// Matches reports whether a message fits. from and to are ENV/ENDPOINT, message is a name with or without its package.
func (p Pattern) Matches(from, to, message string) bool {
	return Fits(p.From, from) && Fits(p.To, to) && IsMessage(p.Message, message)
}

// Fits reports whether a name means a place, ENV/ENDPOINT: `*` and the Env's name do, and the whole.
func Fits(name, place string) bool {
	if name == "*" || name == place {
		return true
	}
	env, _, _ := strings.Cut(place, "/")
	return name == env
}

// IsMessage reports whether a name, or `*`, means a message, which may be named with its package.
func IsMessage(name, message string) bool {
	if i := strings.LastIndexByte(message, '.'); i >= 0 {
		message = message[i+1:]
	}
	return name == "*" || name == message
}

// isName reports whether s can be a name in a text of faults.
func isName(s string) bool {
	return s != "" && !strings.ContainsAny(s, ":=\"") && !strings.Contains(s, "->") && len(strings.Fields(s)) == 1 &&
		strings.TrimSpace(s) == s && !strings.HasPrefix(s, "#")
}
