package record

import (
	"fmt"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// ID names an item: a message of a connection by the connection's id, its direction and its ordinal from 1; anything
// else by the number of its Env within the process and an ordinal. The zero ID is no item.
type ID struct {
	Conn uint64
	// Back is the direction from the listener to the dialler.
	Back bool
	Env  uint32
	N    uint64
}

// IDOf is the ID in a record; of none the zero ID.
func IDOf(id *tracepb.Id) ID { return ID{id.GetConn(), id.GetBack(), id.GetEnv(), id.GetN()} }

// IsZero reports whether id names nothing.
func (id ID) IsZero() bool { return id.N == 0 }

// String is the short form within one process; trace.Merge gives ids their final names.
func (id ID) String() string {
	switch {
	case id.IsZero():
		return ""
	case id.Conn == 0:
		return fmt.Sprintf("%d.%d", id.Env, id.N)
	case id.Back:
		return fmt.Sprintf("%08x.<.%d", id.Conn>>32, id.N)
	}
	return fmt.Sprintf("%08x.>.%d", id.Conn>>32, id.N)
}

// proto is id in a record; that of a connection itself has no N.
func (id ID) proto() *tracepb.Id {
	if id == (ID{}) {
		return nil
	}
	return &tracepb.Id{Conn: id.Conn, Back: id.Back, Env: id.Env, N: id.N}
}
