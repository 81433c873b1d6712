//coherer:pure

package fair

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// rawText is the text of an element that must have one.
func (p *fileParser) rawText(e *element, where string) string {
	switch {
	case e.hasText:
	case len(e.children) > 0:
		p.fail(&fileError{Class: badChild, Line: e.line, Where: where, Text: "<" + e.name + "> begins with <" + e.children[0].name + ">; write a value in its place"})
	default:
		p.fail(&fileError{Class: badText, Line: e.line, Where: where, Text: "<" + e.name + "> is empty; write a value, or take it out"})
	}
	return e.text
}

func (p *fileParser) text(e *element, where string) string {
	return strings.TrimSpace(p.rawText(e, where))
}

func (p *fileParser) badNumber(e *element, where, want string) {
	p.fail(&fileError{Class: badNumber, Line: e.line, Where: where, Text: "<" + e.name + "> is " + strconv.Quote(strings.TrimSpace(e.text)) + "; it has to be " + want})
}

func (p *fileParser) int(e *element, where string, to *int) {
	n, err := strconv.ParseInt(p.text(e, where), 10, 32)
	if err != nil {
		p.badNumber(e, where, "a whole number")
		return
	}
	*to = int(n)
}

// seconds reads a time-out; one beyond what a Duration holds is never.
func (p *fileParser) seconds(e *element, where string, to *time.Duration) {
	n, err := strconv.ParseInt(p.text(e, where), 10, 64)
	switch {
	case err != nil:
		p.badNumber(e, where, "a whole number of seconds")
	case p.faults.secondsWrap:
		*to = historicSeconds(n)
	case n <= int64(never/time.Second): // else to keeps its never
		*to = time.Duration(max(n, -int64(never/time.Second))) * time.Second
	}
}

// float reads a number as Java does: 0.5f and 1e-3 are numbers. Only Hadoop takes NaN, which compares with nothing.
func (p *fileParser) float(e *element, where string) float32 {
	v, err := parseJavaFloat(p.text(e, where), 32)
	if err != nil || (v != v && !p.faults.anyNumber) {
		p.badNumber(e, where, "a number, such as 0.5")
		return 0
	}
	return float32(v)
}

// weight reads a weight. Hadoop takes negative ones too, and serves such a queue before all others under drf.
func (p *fileParser) weight(e *element, where string) float32 {
	v, err := parseJavaFloat(p.text(e, where), 64)
	if err != nil {
		p.badNumber(e, where, "a number, such as 2.5")
		return 0
	}
	if !p.faults.anyNumber && !(v >= 0 && v <= math.MaxFloat32) {
		p.fail(refused(e, where, "the weight is %v; it has to be 0 or more", v))
	}
	return float32(v)
}

func (p *fileParser) threshold(e *element, where string) float32 {
	return max(min(p.float(e, where), 1), 0)
}

func parseJavaFloat(text string, bits int) (float64, error) {
	sign := ""
	if text != "" && (text[0] == '+' || text[0] == '-') {
		sign, text = text[:1], text[1:]
	}
	switch {
	case text == "NaN" || text == "Infinity":
		return strconv.ParseFloat(sign+text, bits)
	case strings.ContainsAny(text, "_nN"): // Go takes inf, nan and underscores as well; Java does not
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseFloat(sign+trimSuffix(text), bits)
	if errors.Is(err, strconv.ErrRange) { // Java takes it as infinity
		err = nil
	}
	return v, err
}

// trimSuffix drops the letter for the type of a Java number.
func trimSuffix(text string) string {
	if text != "" && strings.ContainsRune("fFdD", rune(text[len(text)-1])) {
		return text[:len(text)-1]
	}
	return text
}

func (p *fileParser) limit(e *element, where string, m missing) Limit {
	text := p.text(e, where)
	l, err := parseLimit(text, m, p.faults)
	if err != nil {
		bad := refused(e, where, "<%s>: %v", e.name, err)
		if c, ok := errors.AsType[classed](err); ok {
			bad.Class = c.class
		}
		p.fail(bad)
		return l
	}
	if !l.Part && l.Amount.VCores < 0 {
		p.warn(e, "%s: <%s> does not name vcores; Hadoop has -1 of them then, and no container has room", where, e.name)
	}
	return l
}

func (p *fileParser) policy(e *element, where string) string {
	text := p.text(e, where)
	name := text
	for _, class := range []struct{ class, name string }{
		{"FairSharePolicy", policyFair}, {"DominantResourceFairnessPolicy", policyDRF}, {"FifoPolicy", policyFIFO},
	} {
		if text == "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies."+class.class {
			name = class.name
		}
	}
	if policy := policyOf(name, p.faults); policy != nil {
		return policy.Name()
	}
	p.fail(refused(e, where, "unknown scheduling policy %q; use fair, drf or fifo", text))
	return policyFair
}
