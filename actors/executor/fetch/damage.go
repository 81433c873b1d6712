package fetch

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/rpcenv"
)

// ErrDamaged is a block that is not what was written.
var ErrDamaged = errors.New("the block is damaged: its checksum differs")

// damage is the ErrDamaged of what came: equal ones are of equal bytes, or of sizes that are wrong alike.
type damage struct {
	size int64 // in bytes, with its checksum
	// sum is that of what stands before its checksum, which is written.
	sum, written uint32
}

func (damage) Error() string { return ErrDamaged.Error() }

func (damage) Unwrap() error { return ErrDamaged }

// logDamage warns of a block that came damaged and is asked for once more.
func logDamage(b *rpcenv.Blocking, block Block, err error) {
	at := block.At
	// Spark's words.
	b.Env().Log().Warnf("got an corrupted block %s from BlockManagerId(%s, %s, %d, None), fetch again: %v",
		block.ID, at.GetExecutorId(), at.GetHost(), at.GetPort(), err)
}

// diagnose says why a block came damaged twice. What lies on a disk comes with the same damage each time; a network does not change the
// same bytes twice. It stands for ShuffleBlockFetcherIterator.diagnoseCorruption, which asks the block manager that has the block.
func diagnose(block Block, first, second error) error {
	was, _ := errors.AsType[damage](first)
	is, _ := errors.AsType[damage](second)
	cause := "DISK_ISSUE"
	if was != is {
		cause = "NETWORK_ISSUE"
	}
	return fmt.Errorf("Block %s is corrupted due to %s: %w", block.ID, cause, second)
}
