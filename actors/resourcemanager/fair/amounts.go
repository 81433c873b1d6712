//coherer:pure

package fair

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// missing is the amount of a type that a text in the form name=value leaves out.
type missing int

const (
	missingNone      missing = iota // nothing: of minimums
	missingUnlimited                // no limit: of maximums
)

// The forms of amounts, as Hadoop's FairSchedulerConfiguration takes them.
var (
	amountForm = regexp.MustCompile(`^(-?\d+)(\.\d*)?\s*(mb|vcores)`)
	spacedForm = regexp.MustCompile(`-?\d+(?:\.\d*)?\s*[a-z]+\s*`)
	partForm   = regexp.MustCompile(`^(-?\d+(?:\.\d*)?)\s*%\s*(.*)$`)
)

// parseLimit reads an amount: "X mb, Y vcores", "X% memory, Y% cpu", "X%", "memory-mb=X, vcores=Y" and "memory-mb=X%,
// vcores=Y%", in any order and case. Fractions of absolute amounts are dropped.
func parseLimit(text string, m missing, faults Faults) (Limit, error) {
	text = strings.TrimRight(strings.TrimSpace(text), ",")
	switch {
	case text == "":
		return Limit{}, errors.New("the amount is missing; write, for example, 4096 mb, 4 vcores")
	case strings.Contains(text, "="):
		return parseNamed(text, m, faults)
	case strings.Contains(text, "%"):
		return parseParts(strings.ToLower(text))
	}
	return parseAmounts(text)
}

func parseAmounts(text string) (Limit, error) {
	lower := strings.ToLower(text)
	fields := strings.Split(lower, ",")
	if len(fields) != 2 { // the comma may be missing: "4096 mb 4 vcores"
		fields = spacedForm.FindAllString(lower, -1)
	}
	if len(fields) != 2 {
		return Limit{}, fmt.Errorf("%q is not an amount; write, for example, 4096 mb, 4 vcores", text)
	}
	mb, err := findAmount(fields, "mb")
	if err != nil {
		return Limit{}, err
	}
	cores, err := findAmount(fields, "vcores")
	if err != nil {
		return Limit{}, err
	}
	return Limit{Amount: Resource{mb, cores}}, nil
}

// classed is an error with Hadoop's class for it.
type classed struct {
	class errorClass
	error
}

func findAmount(fields []string, unit string) (int64, error) {
	for _, field := range fields {
		field = strings.TrimSpace(field)
		found := amountForm.FindStringSubmatch(field)
		if found == nil || found[3] != unit {
			continue
		}
		n, err := strconv.ParseInt(found[1], 10, 32)
		switch {
		case err != nil:
			return 0, classed{badNumber, fmt.Errorf("%s is more than %s can be in this form; write memory-mb=..., vcores=...", found[1], unit)}
		case n < 0:
			return 0, fmt.Errorf("%q is negative; an amount is 0 or more", field)
		}
		return n, nil
	}
	return 0, fmt.Errorf("no whole number of %s in %q", unit, strings.TrimSpace(strings.Join(fields, ",")))
}

func parseParts(lower string) (Limit, error) {
	l := Limit{Part: true}
	fields := strings.Split(lower, ",")
	if len(fields) == 1 {
		part, of, err := parsePart(fields[0])
		if of != "" {
			err = fmt.Errorf("%q names one type; write, for example, 50%% memory, 50%% cpu", strings.TrimSpace(lower))
		}
		l.PartOf.Memory, l.PartOf.VCores = part, part
		return l, err
	}
	var err error
	if l.PartOf.Memory, err = findPart(fields, "memory"); err != nil {
		return l, err
	}
	l.PartOf.VCores, err = findPart(fields, "cpu")
	return l, err
}

func findPart(fields []string, unit string) (float64, error) {
	for _, field := range fields {
		if !strings.Contains(field, unit) {
			continue
		}
		part, of, err := parsePart(field)
		if err == nil && !strings.HasPrefix(of, unit) {
			err = fmt.Errorf("%q is not a part; write, for example, 50%% %s", strings.TrimSpace(field), unit)
		}
		return part, err
	}
	return 0, fmt.Errorf("no per cent of %s in %q", unit, strings.Join(fields, ","))
}

// parsePart reads "50% memory" as 0.5 and memory.
func parsePart(field string) (part float64, of string, err error) {
	field = strings.TrimSpace(field)
	found := partForm.FindStringSubmatch(field)
	if found == nil {
		return 0, "", fmt.Errorf("%q is not a part; it begins with a number and %%", field)
	}
	per, err := strconv.ParseFloat(found[1], 64)
	if per < 0 {
		return 0, "", fmt.Errorf("%q is negative; a part is 0%% or more", field)
	}
	return per / 100, found[2], err
}

// parseNamed reads the form name=value.
func parseNamed(text string, m missing, faults Faults) (Limit, error) {
	l := Limit{Part: strings.Contains(text, "%")}
	if m == missingUnlimited {
		l.PartOf.Memory, l.PartOf.VCores = 1, 1 // the whole cluster
		l.Amount = unbounded
		if faults.leavesNoCores {
			l.Amount = historicUnlimited
		}
	}
	for field := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimRight(field, "="), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if value == "" || strings.Contains(value, "=") {
			return l, fmt.Errorf("%q is not of the form name=value, in %q", strings.TrimSpace(field), text)
		}
		if err := l.setNamed(name, value); err != nil {
			return l, fmt.Errorf("%w, in %q", err, text)
		}
	}
	return l, nil
}

func (l *Limit) setNamed(name, value string) error {
	amount, part, most := &l.Amount.Memory, &l.PartOf.Memory, int64(math.MaxInt64)
	var unknown error
	switch name {
	case "memory-mb":
	case "vcores":
		amount, part, most = &l.Amount.VCores, &l.PartOf.VCores, unboundedVCores
	default:
		unknown = classed{badResource, fmt.Errorf("unknown resource %q; use memory-mb or vcores", name)}
	}
	if l.Part {
		per, rest, err := parsePart(value)
		if rest != "" {
			err = fmt.Errorf("%q is not a part", value)
		}
		*part = per
		return cmp.Or(err, unknown)
	}
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil:
		return classed{badNumber, fmt.Errorf("%q is not a whole number", value)}
	case n < 0:
		return fmt.Errorf("%q is negative; an amount is 0 or more", value)
	case unknown != nil:
		return unknown
	}
	*amount = min(n, most)
	return nil
}
