package nodemanager

import (
	"testing"
	"time"

	"github.com/coherer/coherer/messages/yarn"
)

// A token that the key before the last signed is good as long as that key is remembered.
func TestKeysRoll(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	roll := func(id int32) {
		k.next(func(r *yarn.NodeHeartbeatResponse) {
			r.ContainerTokenMasterKey = &yarn.MasterKey{KeyId: id, Bytes: []byte{byte(id)}}
		})
	}
	roll(2)
	k.running(1, nil)
	k.w.Advance(2 * time.Second)
	last := k.beats[len(k.beats)-1]
	if a, b := last.GetLastKnownContainerTokenMasterKey(), last.GetLastKnownNmTokenMasterKey(); a.GetKeyId() != 2 || b.GetKeyId() != 7 || len(a.GetBytes())+len(b.GetBytes()) > 0 {
		t.Errorf("the node reports the keys %v %v", a, b)
	}
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.NmTokenMasterKey = &yarn.MasterKey{KeyId: 8, Bytes: []byte{8}} })
	k.ask() // the key before the last is good
	k.w.Advance(2 * time.Second)
	if b := k.beats[len(k.beats)-1].GetLastKnownNmTokenMasterKey(); b.GetKeyId() != 8 {
		t.Errorf("the node reports the key %v", b)
	}
	roll(3)
	if r := k.ask(k.entry(k.identifier(containerID(app1, 2)), nil)); len(r.GetFailedRequests()) != 1 {
		t.Errorf("%v", r)
	}
}

// A key that comes again is no newer one: the one before it stays known. One of the same id with other bytes is.
func TestAKeyThatComesAgainRollsNothing(t *testing.T) {
	var k keys
	if k.known() != nil || k.find(0) != nil {
		t.Error("there is a key before one came")
	}
	for _, m := range []*yarn.MasterKey{{KeyId: 1, Bytes: []byte("a")}, {KeyId: 2, Bytes: []byte("b")}, {KeyId: 2, Bytes: []byte("b")}, nil} {
		k.roll(m)
	}
	if got := k.find(1); string(got.GetBytes()) != "a" || string(k.find(2).GetBytes()) != "b" || k.find(3) != nil || k.known().GetKeyId() != 2 {
		t.Errorf("%v %v", k.current, k.previous)
	}
	k.roll(&yarn.MasterKey{KeyId: 2, Bytes: []byte("c")}) // another ResourceManager counts from the same number
	if k.find(1) != nil || string(k.find(2).GetBytes()) != "c" || string(k.previous.GetBytes()) != "b" {
		t.Errorf("%v %v", k.current, k.previous)
	}
}

// Before the first key comes nothing is found, whatever its number; a key of other bytes, or of another number, is a newer one.
func TestTheFirstKey(t *testing.T) {
	var k keys
	k.roll(&yarn.MasterKey{}) // number 0, without bytes
	if k.current == nil || k.find(0) != k.current || k.previous != nil {
		t.Errorf("%v %v", k.current, k.previous)
	}
	k.roll(&yarn.MasterKey{KeyId: 1})
	if k.known().GetKeyId() != 1 || k.previous.GetKeyId() != 0 || k.previous == nil {
		t.Errorf("%v %v", k.current, k.previous)
	}
}
