package fair

import (
	"errors"
	"strings"
	"testing"
)

// tree is what there is of queues: the value says whether it is a leaf, and a name in upper case one that the file does not have.
type tree map[string]bool

func (q tree) Look(name string) (exists, leaf, dynamic bool) {
	if leaf, ok := q[strings.ToUpper(name)]; ok {
		return true, leaf, true
	}
	leaf, exists = q[name]
	return exists, leaf, false
}

// Each rule has the queue that Hadoop's has, or none, and the next one is asked.
func TestWhereRulesPlace(t *testing.T) {
	there := tree{"root": false, "root.default": true, "root.g": false, "root.h": false, "root.g.u_dot_v": true, "root.leaf": true, "ROOT.MADE": true, "ROOT.K": false}
	user := Submission{User: "u.v", Queue: "default", Groups: []string{"g", "h"}}
	as := func(queue string) Submission { s := user; s.Queue = queue; return s }
	of := func(groups ...string) Submission { s := user; s.Groups = groups; return s }
	failing := user
	failing.GroupsErr = errors.New("no directory")
	for _, x := range []struct {
		rules string
		sub   Submission
		want  string // a queue, nothing, or an error
	}{
		{`<rule name="specified"/>`, as("a.b"), "root.a.b"},
		{`<rule name="specified"/>`, as("root.x"), "root.x"},
		{`<rule name="specified"/>`, as("root"), "root"},
		{`<rule name="specified"/>`, as("rootx"), "root.rootx"},
		{`<rule name="specified"/>`, as("default"), ""},
		{`<rule name="specified"/>`, as(""), ""},
		{`<rule name="specified"/>`, as(".a"), `application of user u.v: ".a" is not a queue's name, since it begins or ends with a dot or a space`},
		{`<rule name="specified"/>`, as("a."), `application of user u.v: "a." is not a queue's name, since it begins or ends with a dot or a space`},
		{`<rule name="specified"/>`, as(" a"), `application of user u.v: " a" is not a queue's name, since it begins or ends with a dot or a space`},
		{`<rule name="specified" create="false"/>`, as("leaf"), "root.leaf"},
		{`<rule name="specified" create="false"/>`, as("made"), ""},
		{`<rule name="specified" create="false"/>`, as("moon"), ""},
		{`<rule name="user" create="false"/>`, user, ""},
		{`<rule name="primaryGroup" create="false"/>`, user, "root.g"},
		{`<rule name="primaryGroup" create="false"/>`, of("k"), ""},
		{`<rule name="secondaryGroupExistingQueue"/>`, of("x", "k", "h", "g"), "root.h"},
		{`<rule name="secondaryGroupExistingQueue"/>`, of("x"), ""},
		{`<rule name="secondaryGroupExistingQueue"><rule name="specified"/></rule>`, as("leaf"), ""},
		{`<rule name="nestedUserQueue"><rule name="secondaryGroupExistingQueue"/></rule>`, of("x", "h"), "root.h.u_dot_v"},
		{`<rule name="nestedUserQueue" create="false"><rule name="primaryGroup"/></rule>`, of("g"), "root.g.u_dot_v"},
		{`<rule name="nestedUserQueue" create="false"><rule name="primaryGroup"/></rule>`, of("h"), ""},
		{`<rule name="nestedUserQueue"><rule name="specified"/></rule>`, as("leaf"), ""},
		{`<rule name="nestedUserQueue"><rule name="specified"/></rule>`, as("new"), "root.new.u_dot_v"},
		{`<rule name="nestedUserQueue"><rule name="primaryGroup"/></rule>`, failing, "Group resolution failed: no directory"},
		{`<rule name="primaryGroup"><rule name="specified"/></rule>`, as("a."), `application of user u.v: "a." is not a queue's name, since it begins or ends with a dot or a space`},
		{`<rule name="primaryGroup"/>`, failing, "Group resolution failed: no directory"},
		{`<rule name="primaryGroup"/>`, of(), "Group resolution failed: No groups found for user u.v"},
		{`<rule name="user"/>`, user, "root.u_dot_v"},
		{`<rule name="default"/>`, user, "root.default"},
		{`<rule name="default" queue="x"/>`, user, "root.x"},
		{`<rule name="default" create="false" queue="moon"/>`, user, ""},
		{`<rule name="default" create="FALSE" queue="leaf"/>`, user, "root.leaf"},
		{`<rule name="reject"/>`, user, ""},
	} {
		last := ""
		p := fileParser{Allocations: NoAllocations(options)}
		top, err := parseXML([]byte(x.rules))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Placement{[]placementRule{p.rule(top)}}.Place(x.sub, there)
		if err != nil {
			var refused *placementError
			if last = err.Error(); !errors.As(err, &refused) || refused.Cause != nil && !errors.Is(err, refused.Cause) {
				t.Errorf("%s: %T", x.rules, err)
			}
		}
		if got+last != x.want || p.err != nil {
			t.Errorf("%s, %+v: %q %v, want %q", x.rules, x.sub, got, err, x.want)
		}
	}
}

// Without rules in the file those of yarn-site.xml hold.
func TestTheRulesOfTheSettings(t *testing.T) {
	for o, want := range map[Options][3]string{ // the rules, where an application goes that names a new queue, and one that names none
		{AllowUndeclared: true, UserAsDefaultQueue: true}: {"Specified User", "root.new", "root.u"},
		{AllowUndeclared: true}:                           {"Specified Default", "root.new", "root.default"},
		{UserAsDefaultQueue: true}:                        {"Specified User Default", "root.default", "root.default"},
		{}:                                                {"Specified Default", "root.default", "root.default"},
	} {
		placement := NoAllocations(o).Placement
		got := [3]string{strings.ReplaceAll(strings.Join(placement.Rules(), " "), "PlacementRule", "")}
		for i, queue := range []string{"new", "default"} {
			placed, err := placement.Place(Submission{User: "u", Queue: queue}, tree{})
			if err != nil {
				t.Fatal(err)
			}
			got[i+1] = placed
		}
		if got != want {
			t.Errorf("%+v: %q, want %q", o, got, want)
		}
	}
}
