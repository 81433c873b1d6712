package dag

import (
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/rpcenv"
)

// mapOutputMoved enters the new place of a map output. One that was given up meanwhile, or that another attempt has written again,
// stays as it is, and so does a shuffle that is forgotten. The epoch stays: the old place serves the output until its executor is gone,
// which raises it. It mirrors MapOutputTrackerMaster.updateMapOutput.
func (s *Scheduler) mapOutputMoved(c *rpcenv.Context, m event.MapOutputMoved) {
	sh := s.datasets.shuffles[m.Shuffle]
	if sh == nil {
		c.Log().Infof("Map output %d of shuffle %d has moved to executor %s, and no job needs it", m.MapID, m.Shuffle, m.To.GetExecutorId())
		return
	}
	partition, ok := sh.partitionOf(m.MapID)
	if !ok {
		c.Log().Warnf("Asked to update map output %d of shuffle %d, which is not known: it was lost, or made again", m.MapID, m.Shuffle)
		return
	}
	c.Log().Infof("Updating map output for %d to executor %s on %s", m.MapID, m.To.GetExecutorId(), m.To.GetHost())
	sh.set(partition, place{m.To.GetExecutorId(), m.To.GetHost(), m.MapID})
	c.Send(s.cfg.Tracker, mapoutput.UpdateMapOutput{Shuffle: m.Shuffle, MapIndex: partition, MapID: m.MapID, Location: m.To})
}
