package blocks

import (
	"fmt"
	"strconv"
	"strings"
)

// BroadcastID is the name of a Broadcast's value as a block (org.apache.spark.storage.BroadcastBlockId).
func BroadcastID(id int64) string { return fmt.Sprintf("broadcast_%d", id) }

// PieceID is the name of one of its pieces.
func PieceID(id int64, piece int) string { return fmt.Sprintf("broadcast_%d_piece%d", id, piece) }

// ParseBroadcastID reads the name of a value or of a piece; ok is false for another block.
func ParseBroadcastID(block string) (id int64, ok bool) {
	rest, is := strings.CutPrefix(block, "broadcast_")
	first, piece, cut := strings.Cut(rest, "_piece")
	id, err := strconv.ParseInt(first, 10, 64)
	if !is || err != nil || id < 0 {
		return 0, false
	}
	// Numbers have one spelling, or two names would be one block.
	if !cut {
		return id, BroadcastID(id) == block
	}
	n, err := strconv.ParseUint(piece, 10, 31)
	return id, err == nil && PieceID(id, int(n)) == block
}
