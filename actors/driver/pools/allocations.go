//coherer:pure

package pools

import (
	"fmt"
	"strconv"
	"strings"
)

// DefaultPool has the sets of jobs that choose no pool.
const DefaultPool = "default"

// Config is what a pool is made with.
type Config struct {
	Name string
	// Mode orders the sets of the pool.
	Mode Mode
	// MinShare is how many tasks the pool may run before others get cores.
	MinShare int
	// Weight is the pool's share of the cores in proportion to the weights of the others. Spark takes 0 and less, too.
	Weight int
}

// newConfig is a pool of which only the name is known.
func newConfig(name string) Config { return Config{Name: name, Mode: FIFO, MinShare: 0, Weight: 1} }

func (c Config) String() string {
	return fmt.Sprintf("schedulingMode: %s, minShare: %d, weight: %d", c.Mode, c.MinShare, c.Weight)
}

// Allocations is the content of an allocation file (spark.scheduler.allocation.file). It does not change.
type Allocations struct {
	// File is the path, for people.
	File string
	// Pools in the order of the file. Of two with one name the later gets the sets, as in Spark.
	Pools []Config
	// Lines warn of values that were not taken.
	Lines []Line
}

// Parse reads the content of an allocation file; file is its path, for errors and warnings. A pool is every element <pool>, at
// any depth. A value that is missing or wrong gives a warning, and its default counts: FIFO, minShare 0, weight 1. The error
// says where the file is no well-formed XML. It mirrors FairSchedulableBuilder.buildFairSchedulerPool.
func Parse(file string, content []byte) (*Allocations, error) {
	top, err := parseXML(content)
	if err != nil {
		return nil, fmt.Errorf("fair scheduler file %s: %w: want <allocations><pool name=\"NAME\"><schedulingMode>FAIR</schedulingMode>"+
			"<weight>1</weight><minShare>0</minShare></pool>...</allocations>", file, err)
	}
	a := &Allocations{File: file}
	a.take(top)
	if len(a.Pools) == 0 {
		a.warn("Fair Scheduler configuration file %s has no <pool>: each pool that a job names has the defaults", file)
	}
	return a, nil
}

func (a *Allocations) take(e *element) {
	if e.name == "pool" {
		c := newConfig(e.pool)
		c.Mode = a.mode(e, c)
		c.MinShare = a.number(e, c.Name, "minShare", c.MinShare)
		c.Weight = a.number(e, c.Name, "weight", c.Weight)
		a.Pools = append(a.Pools, c)
	}
	for _, child := range e.children {
		a.take(child)
	}
}

func (a *Allocations) mode(e *element, unset Config) Mode {
	switch text := strings.ToUpper(trim(e.textOf("schedulingMode"))); text {
	case "FIFO":
		return FIFO
	case "FAIR":
		return FAIR
	default:
		a.warn("Unsupported schedulingMode: %s found in Fair Scheduler configuration file: %s, using the default schedulingMode: %s for pool: %s",
			text, a.File, unset.Mode, unset.Name)
		return unset.Mode
	}
}

func (a *Allocations) number(e *element, pool, property string, unset int) int {
	text := trim(e.textOf(property))
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		a.warn("Error while loading fair scheduler configuration from %s: %s is blank or invalid: %s, using the default %s: %d for pool: %s",
			a.File, property, text, property, unset, pool)
		return unset
	}
	return int(n)
}

func (a *Allocations) warn(format string, args ...any) {
	a.Lines = append(a.Lines, Line{Warn: true, Text: fmt.Sprintf(format, args...)})
}

// trim is Java's String.trim.
func trim(s string) string { return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' }) }
