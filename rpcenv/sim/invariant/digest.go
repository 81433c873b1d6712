package invariant

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// Digest is a short hash of a World's trace: two runs with equal digests did the same, at the same times, in the same
// order. Envs are numbered as they appear, since their numbers in the records depend on what else the process runs.
func Digest(records []*tracepb.Record) string {
	d := &digest{h: sha256.New()}
	for _, r := range records {
		d.record(r)
	}
	d.h.Write(d.buf)
	return hex.EncodeToString(d.h.Sum(nil)[:8])
}

type digest struct {
	h    hash.Hash
	envs []uint32 // in the order of their appearance
	buf  []byte
}

func (d *digest) record(r *tracepb.Record) {
	if len(d.buf) > 1<<14 {
		d.h.Write(d.buf)
		d.buf = d.buf[:0]
	}
	d.buf = append(d.buf, byte(r.GetKind()), byte(r.GetForm()))
	d.number(uint64(d.env(r.GetEnv())), r.GetTime(), r.GetReceived(), r.GetStarted(), r.GetBytes())
	d.id(r.GetId())
	d.id(r.GetCause())
	// Each with its length: two records whose texts are the same in a row, cut at different places, must differ.
	for _, s := range []string{
		r.GetEndpoint(), r.GetTo(), r.GetPeer(), r.GetAddress(), r.GetType(), r.GetOutcome(), r.GetName(), r.GetSubject(),
		r.GetFrom(), r.GetWhy(), string(r.GetBody()),
	} {
		d.buf = append(binary.AppendUvarint(d.buf, uint64(len(s))), s...)
	}
}

func (d *digest) number(ns ...uint64) {
	for _, n := range ns {
		d.buf = binary.AppendUvarint(d.buf, n)
	}
}

func (d *digest) id(i *tracepb.Id) {
	back := uint64(0)
	if i.GetBack() {
		back = 1
	}
	d.number(i.GetConn(), back, uint64(d.env(i.GetEnv())), i.GetN())
}

func (d *digest) env(num uint32) uint32 {
	if num == 0 {
		return 0
	}
	i := slices.Index(d.envs, num)
	if i < 0 {
		i = len(d.envs)
		d.envs = append(d.envs, num)
	}
	return uint32(i + 1)
}
