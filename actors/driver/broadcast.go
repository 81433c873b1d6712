package driver

import (
	"errors"

	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/rpcenv"
)

// errNoBlocks says why an application has no broadcasts.
var errNoBlocks = errors.New("this driver serves no blocks: set driver.Config.Blocks")

// Broadcast keeps an encoded value for the executors (rdd.NewBroadcast). It may be called by several bodies at once. It mirrors
// TorrentBroadcast.writeBlocks.
func (d *Driver) Broadcast(b *rpcenv.Blocking, encoded []byte) (rdd.BroadcastInfo, error) {
	if d.broadcasts == nil {
		return rdd.BroadcastInfo{}, errNoBlocks
	}
	at, err := d.broadcasts.Open()
	if err != nil {
		return rdd.BroadcastInfo{}, err
	}
	info, reports, err := d.broadcasts.Keep(d.env.Conf(), encoded)
	if err != nil {
		return info, err
	}
	// Before a task can ask for a piece.
	_, err = rpcenv.AskWait(b, d.ref(storage.MasterName), storage.KeepBroadcast{At: at, Pieces: reports})
	if err != nil {
		d.broadcasts.Destroy(info.ID, "")
	}
	return info, err
}

// Unbroadcast makes the executors give a broadcast up and waits until they have. Where destroyed is not empty the driver does so too; it says
// where the program called Destroy.
func (d *Driver) Unbroadcast(b *rpcenv.Blocking, id int64, destroyed string) error {
	if d.broadcasts == nil {
		return errNoBlocks
	}
	if destroyed != "" { // first: no executor is to fetch a piece again that it has given up
		d.broadcasts.Destroy(id, destroyed)
	}
	_, err := rpcenv.AskWait(b, d.ref(storage.MasterName), storage.GiveUpBroadcast{ID: id, FromDriver: destroyed != ""})
	return err
}

// longLists is how MapOutputTracker sends long lists of map outputs: by broadcast, unless the driver serves no blocks.
func (d *Driver) longLists() mapoutput.Config {
	if d.broadcasts == nil {
		return mapoutput.Config{}
	}
	return mapoutput.Config{
		MinSize: shuffleMapOutputMinSizeForBroadcast.Get(d.env.Conf()), Broadcast: d.Broadcast, Unbroadcast: d.Unbroadcast,
	}
}

// checkBroadcasts fails with a *rdd.DestroyedError for a job that has a broadcast which was destroyed.
func (d *Driver) checkBroadcasts(job rdd.Invocation) error {
	if d.broadcasts == nil || job.Lineage == nil {
		return nil
	}
	return d.broadcasts.Check(job.Lineage.Broadcasts())
}
