//coherer:pure

package fair

import "strings"

// defaultPlacement is what yarn-site.xml says, where the file has no queuePlacementPolicy.
func defaultPlacement(o Options) Placement {
	rules := []placementRule{{name: "specified", create: o.AllowUndeclared}}
	if o.UserAsDefaultQueue {
		rules = append(rules, placementRule{name: "user", create: o.AllowUndeclared})
	}
	if !o.UserAsDefaultQueue || !o.AllowUndeclared {
		rules = append(rules, placementRule{name: "default", create: true, queue: withRoot("default")})
	}
	return Placement{rules}
}

// placement reads queuePlacementPolicy. One with nothing but spaces in it leaves the rules as they are.
func (p *fileParser) placement(e *element) {
	if e.empty {
		p.fail(refused(e, e.name, "it is empty; write rules, or take it out"))
		return
	}
	var rules []placementRule
	for _, child := range e.children {
		if !strings.EqualFold(child.name, "rule") {
			p.warn(child, "<%s> in %s is read over: write <rule name=\"%s\"/>", child.name, e.name, child.name)
			continue
		}
		rules = append(rules, p.rule(child))
	}
	if p.err != nil {
		return
	}
	if len(rules) == 0 {
		p.warn(e, "%s has no rule; the rules of yarn-site.xml hold", e.name)
		return
	}
	for i := range rules {
		switch last := i == len(rules)-1; {
		case !last && rules[i].terminal():
			p.fail(refused(e, e.name, "rule %d (%s) always has an answer; the rules behind it are never reached: take them out, or give it create=\"false\"", i+1, rules[i].name))
		case last && !rules[i].terminal():
			p.fail(refused(e, e.name, "the last rule (%s) may have no answer; end with <rule name=\"default\"/> or <rule name=\"reject\"/>", rules[i].name))
		}
	}
	p.Placement = Placement{rules}
}

// rule reads a rule element and the one that it may have in it.
func (p *fileParser) rule(e *element) placementRule {
	r := p.oneRule(e)
	for _, child := range e.children {
		if !strings.EqualFold(child.name, "rule") {
			continue
		}
		if r.parent != nil {
			p.warn(child, "rule %s has several rules in it; the last one counts", r.name)
		}
		if child.attr("name") == "reject" {
			p.fail(refused(child, "rule "+r.name, "reject cannot stand in another rule"))
		}
		inner := p.oneRule(child)
		if len(child.children) > 0 {
			p.warn(child, "what is in rule %s inside rule %s is read over", inner.name, r.name)
		}
		r.parent = &inner
	}
	switch {
	case p.err != nil:
	case r.name == "nestedUserQueue" && r.parent == nil:
		p.fail(refused(e, "rule nestedUserQueue", "it has to have a rule in it, which gives the queue to be below"))
	case r.parent != nil && (r.name == "specified" || r.name == "default" || r.name == "reject"):
		p.fail(refused(e, "rule "+r.name, "it cannot have a rule in it"))
	case r.parent != nil && ruleClasses[r.parent.name] == ruleClasses[r.name]:
		p.fail(refused(e, "rule "+r.name, "it cannot have a rule of its own kind in it"))
	case r.parent != nil && r.parent.name == "nestedUserQueue":
		p.warn(e, "rule nestedUserQueue inside rule %s is a plain user rule", r.name)
	}
	return r
}

func (p *fileParser) oneRule(e *element) placementRule {
	r := placementRule{name: e.attr("name"), create: true}
	switch {
	case r.name == "":
		p.fail(refused(e, "", "a rule has no name; write name=\"...\""))
	case ruleClasses[r.name] == "":
		p.fail(refused(e, "rule "+r.name, "no rule is called that; there are specified, user, primaryGroup, secondaryGroupExistingQueue, nestedUserQueue, default and reject"))
	}
	if create := e.attr("create"); create != "" {
		r.create = strings.EqualFold(create, "true")
	}
	if r.name == "default" {
		r.queue = withRoot("default")
		switch queue := e.attr("queue"); {
		case !validName(queue):
			p.warn(e, "rule default: %q is no name of a queue; root.default is taken", queue)
		case queue != "":
			r.queue = withRoot(queue)
		}
	}
	return r
}
