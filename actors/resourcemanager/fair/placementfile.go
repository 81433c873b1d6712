//coherer:pure

package fair

import "strings"

// defaultPlacement is the rules from yarn-site.xml, for a file without queuePlacementPolicy.
func defaultPlacement(o Options) Placement {
	rules := []placementRule{{name: "specified", create: o.AllowUndeclared}}
	if o.UserAsDefaultQueue {
		rules = append(rules, placementRule{name: "user", create: o.AllowUndeclared})
	}
	if !o.UserAsDefaultQueue || !o.AllowUndeclared { // else the user rule always has an answer
		rules = append(rules, placementRule{name: "default", create: true, queue: withRoot("default")})
	}
	return Placement{rules}
}

// placement reads queuePlacementPolicy. One with nothing but spaces inside leaves the default rules.
func (p *fileParser) placement(e *element) {
	if e.empty {
		p.fail(refused(e, e.name, "it is empty; write rules, or take it out"))
		return
	}
	var rules []placementRule
	var elements []*element
	for _, child := range e.children {
		if !strings.EqualFold(child.name, "rule") {
			p.warn(child, "<%s> in %s is ignored: write <rule name=\"%s\"/>", child.name, e.name, child.name)
			continue
		}
		rules, elements = append(rules, p.rule(child)), append(elements, child)
	}
	if len(rules) == 0 {
		p.warn(e, "%s has no rule; the rules of yarn-site.xml hold", e.name)
		return
	}
	// A chain must end with an answer, and no rule may be unreachable, as in Hadoop.
	for i := range rules {
		switch last := i == len(rules)-1; {
		case !last && rules[i].terminal():
			p.fail(refused(e, e.name, "rule %d (%s) always has an answer; the rules behind it are never reached: take them out, or give it create=\"false\"", i+1, rules[i].name))
		case last && !rules[i].terminal():
			p.fail(refused(e, e.name, "the last rule (%s) may have no answer; end with <rule name=\"default\"/> or <rule name=\"reject\"/>", rules[i].name))
		}
	}
	for i := range rules {
		p.nests(elements[i], rules[i])
	}
	p.Placement = Placement{rules}
}

// rule reads a rule element and the one that it may contain.
func (p *fileParser) rule(e *element) placementRule {
	r := p.oneRule(e)
	var last *element
	for _, child := range e.children {
		if !strings.EqualFold(child.name, "rule") {
			continue
		}
		if last != nil {
			p.warn(child, "rule %s has several rules in it; the last one counts", r.name)
		}
		last = child
	}
	if last == nil {
		if r.name == "nestedUserQueue" {
			p.fail(refused(e, "rule nestedUserQueue", "it has to have a rule in it, which gives the queue to be below"))
		}
		return r
	}
	switch name := last.attr("name"); name {
	case "reject", "nestedUserQueue":
		p.fail(refused(last, "rule "+r.name, "%s cannot stand in another rule", name))
	}
	inner := p.oneRule(last)
	if len(last.children) > 0 {
		p.warn(last, "what is in rule %s inside rule %s is ignored", inner.name, r.name)
	}
	r.parent = &inner
	return r
}

// nests fails on a rule that cannot contain the one inside it.
func (p *fileParser) nests(e *element, r placementRule) {
	switch {
	case r.parent == nil:
	case r.name == "specified" || r.name == "default" || r.name == "reject":
		p.fail(&fileError{Class: badRule, Line: e.line, Where: "rule " + r.name, Text: "it cannot have a rule in it"})
	case ruleClasses[r.parent.name] == ruleClasses[r.name]:
		p.fail(&fileError{Class: badRule, Line: e.line, Where: "rule " + r.name, Text: "it cannot have a rule of its own kind in it"})
	}
}

func (p *fileParser) oneRule(e *element) placementRule {
	r := placementRule{name: e.attr("name"), create: true}
	switch {
	case r.name == "":
		p.fail(refused(e, "", "a rule has no name; write name=\"...\""))
	case ruleClasses[r.name] == "":
		p.fail(refused(e, "rule "+r.name, "unknown rule; use specified, user, primaryGroup, secondaryGroupExistingQueue, nestedUserQueue, default or reject"))
	}
	if create := e.attr("create"); create != "" {
		r.create = strings.EqualFold(create, "true")
	}
	if r.name == "default" {
		r.queue = withRoot("default")
		switch queue := e.attr("queue"); {
		case !validName(queue):
			p.warn(e, "rule default: %q is not a queue's name; root.default is taken", queue)
		case queue != "":
			r.queue = withRoot(queue)
		}
	}
	return r
}
