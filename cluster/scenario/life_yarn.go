package scenario

import (
	"fmt"
	"time"
)

// The queues of a life on YARN, with their weights.
const yarnQueues = "(a:1,b:2,c:1)"

// yarnSettings are those of a life on YARN: containers are preempted for applications below their share, and silent nodes and
// ApplicationMasters are given up in half a minute, so that it happens within a storm.
var yarnSettings = []string{
	"yarn.scheduler.minimum-allocation-mb=256", "yarn.scheduler.fair.preemption=true",
	"yarn.nm.liveness-monitor.expiry-interval-ms=30000", "yarn.am.liveness-monitor.expiry-interval-ms=30000",
	"yarn.resourcemanager.connect.retry-interval.ms=2000", "yarn.resourcemanager.am.max-attempts=4",
}

// node is a NodeManager, there from the beginning or later.
func (g *generator) node(i int, at time.Duration) {
	g.add(at, "start nodemanager NM%d rm=RM cores=%d memory=%dg rack=/r%d", i, 2<<g.rnd.IntN(3), 2<<g.rnd.IntN(3), g.one(2))
}

// onYARN is an application in one of the queues; about every second one has dynamic allocation.
func (g *generator) onYARN(i int) {
	line := fmt.Sprintf("submit A%d sleep --tasks=%d --task-time=%ds master=RM deploy-mode=cluster spark.yarn.queue=%c spark.driver.memory=512m "+
		"spark.executor.memory=%dm spark.executor.cores=%d", i, g.one(30), g.one(40), 'a'+rune(g.rnd.IntN(3)), 512<<g.rnd.IntN(2), g.one(2))
	if g.rnd.IntN(2) == 0 {
		line += " spark.dynamicAllocation.enabled=true spark.dynamicAllocation.executorIdleTimeout=10s"
	} else {
		line += fmt.Sprintf(" spark.executor.instances=%d", g.one(8))
	}
	g.add(g.within(time.Second, g.For*3/4), "%s", line)
}
