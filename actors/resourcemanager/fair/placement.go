//coherer:pure

package fair

import (
	"fmt"
	"strings"
)

// Submission is the part of an application's submission that decides its placement.
type Submission struct {
	User  string
	Queue string // as the user asked; "default" means no wish
	// Groups are the user's, the primary one first; GroupsErr is the reason why they are unknown. Rules about groups fail with
	// it, and without a group.
	Groups    []string
	GroupsErr error
}

// Tree is the placement's view of the existing queues.
type Tree interface {
	// Look reports whether a queue of that full name exists, whether it is a leaf, and whether it is dynamic: not in the file.
	Look(name string) (exists, leaf, dynamic bool)
}

// Placement chooses a queue by rules in turn. It mirrors Hadoop's QueuePlacementPolicy and PlacementManager.
type Placement struct{ rules []placementRule }

// Place is the full name of the queue for a submission, or "" when the rules reject it. The queue may be missing, or no leaf. An
// error, always a *placementError, concerns the submission and is for the submitter.
func (p Placement) Place(s Submission, t Tree) (string, error) {
	for i := range p.rules {
		if queue, err := p.rules[i].place(s, t); err != nil || queue != "" {
			return queue, err
		}
	}
	return "", nil
}

// Rules are the names of the rules, as Hadoop's classes have them: SpecifiedPlacementRule.
func (p Placement) Rules() []string {
	names := make([]string, len(p.rules))
	for i, r := range p.rules {
		names[i] = ruleClasses[r.name]
	}
	return names
}

// placementError is the reason why a submission cannot be placed. In Hadoop it is a YarnException.
type placementError struct {
	Text  string
	Cause error // nil when Text says all
}

func (e *placementError) Error() string {
	if e.Cause != nil {
		return e.Text + ": " + e.Cause.Error()
	}
	return e.Text
}

func (e *placementError) Unwrap() error { return e.Cause }

// placementRule is one rule element.
type placementRule struct {
	name   string         // as in the file: user
	create bool           // the queue need not be in the file
	queue  string         // of a default rule
	parent *placementRule // gives the queue above; for rules about users and groups
}

// ruleClasses are Hadoop's names of the classes by the rules' names.
var ruleClasses = map[string]string{
	"user":                        "UserPlacementRule",
	"primaryGroup":                "PrimaryGroupPlacementRule",
	"secondaryGroupExistingQueue": "SecondaryGroupExistingPlacementRule",
	"specified":                   "SpecifiedPlacementRule",
	"nestedUserQueue":             "UserPlacementRule",
	"default":                     "DefaultPlacementRule",
	"reject":                      "RejectPlacementRule",
}

// terminal reports whether the rule, and the one inside it, always has an answer.
func (r *placementRule) terminal() bool {
	own := false
	switch r.name {
	case "reject":
		own = true
	case "user", "primaryGroup", "nestedUserQueue", "default":
		own = r.create
	}
	return own && (r.parent == nil || r.parent.terminal())
}

// place is the rule's answer, "" for none.
func (r *placementRule) place(s Submission, t Tree) (string, error) {
	switch r.name {
	case "specified":
		return r.specified(s, t)
	case "default":
		return r.allowed(r.queue, t), nil
	case "user", "nestedUserQueue":
		under, ok, err := r.under(s, t)
		if !ok {
			return "", err
		}
		return r.allowed(below(under, s.User), t), nil
	case "primaryGroup", "secondaryGroupExistingQueue":
		return r.group(s, t)
	}
	return "", nil
}

func (r *placementRule) specified(s Submission, t Tree) (string, error) {
	if !validName(s.Queue) {
		return "", &placementError{Text: fmt.Sprintf("application of user %s: %q is not a queue's name, since it begins or ends with a dot or a space", s.User, s.Queue)}
	}
	if s.Queue == "default" { // clients send it when the user names no queue
		return "", nil
	}
	return r.allowed(withRoot(s.Queue), t), nil
}

func (r *placementRule) group(s Submission, t Tree) (string, error) {
	if s.GroupsErr != nil {
		return "", &placementError{Text: "Group resolution failed", Cause: s.GroupsErr}
	}
	if len(s.Groups) == 0 {
		return "", &placementError{Text: "Group resolution failed", Cause: fmt.Errorf("No groups found for user %s", s.User)}
	}
	under, ok, err := r.under(s, t)
	if !ok {
		return "", err
	}
	if r.name == "primaryGroup" {
		return r.allowed(below(under, s.Groups[0]), t), nil
	}
	for _, group := range s.Groups { // the primary one too
		if queue := below(under, group); configured(queue, t) {
			return queue, nil
		}
	}
	return "", nil
}

// under is the queue above the rule's answer, "" for Root. ok is false if the inner rule has no answer, or a leaf as its answer.
func (r *placementRule) under(s Submission, t Tree) (queue string, ok bool, err error) {
	if r.parent == nil {
		return "", true, nil
	}
	queue, err = r.parent.place(s, t)
	if queue == "" {
		return "", false, err
	}
	_, leaf, _ := t.Look(queue)
	return queue, !leaf, nil
}

func (r *placementRule) allowed(queue string, t Tree) string {
	if r.create || configured(queue, t) {
		return queue
	}
	return ""
}

// configured reports whether the file has the queue: one made for an earlier submission does not count.
func configured(queue string, t Tree) bool {
	exists, _, dynamic := t.Look(queue)
	return exists && !dynamic
}

// below is the queue of a user or a group. Without a queue above, a user named root gets Root itself, as in Hadoop.
func below(queue, name string) string {
	name = strings.ReplaceAll(strings.TrimSpace(name), ".", "_dot_")
	if queue == "" {
		return withRoot(name)
	}
	return queue + "." + name
}

func withRoot(queue string) string {
	if queue == "" || queue == Root || strings.HasPrefix(queue, Root+".") {
		return queue
	}
	return Root + "." + queue
}

func validName(queue string) bool {
	return queue == strings.TrimSpace(queue) && !strings.HasPrefix(queue, ".") && !strings.HasSuffix(queue, ".")
}
