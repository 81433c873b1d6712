package app

import (
	"errors"
	"io"
	"os"
	"testing"

	"github.com/coherer/coherer/actors/executor"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/transport/bulk"
)

// neighbourWith is a neighbour that has one map output, and its block manager.
func neighbourWith(t *testing.T, id string, data string) (*blocks, *storagepb.BlockManagerId) {
	t.Helper()
	b, _ := newTestBlocks(t)
	b.ownedBy("app", id)
	out, err := b.MapOutput(4, 9, 3)
	if err != nil {
		t.Fatal(err)
	}
	err = out.Partition(1)
	if err == nil {
		_, err = out.Write([]byte(data))
	}
	if err == nil {
		_, err = out.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b, &storagepb.BlockManagerId{ExecutorId: id, Host: b.Address().Host, Port: int32(b.Address().Port)}
}

func nearConf(t *testing.T, pairs map[string]string) *conf.Conf {
	t.Helper()
	c, err := conf.New(pairs, executor.Settings)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A map output of another executor of this host is read from its file: its block manager is only asked where that is, once.
func TestAMapOutputOfThisHostIsReadFromItsFile(t *testing.T) {
	b1, at1 := neighbourWith(t, "1", "one")
	b2, at2 := neighbourWith(t, "2", "two!")
	transferring(t, func(b *rpcenv.Blocking, tr Transfer) {
		open := openNear(nearConf(t, nil), tr, "app")
		read := func(at *storagepb.BlockManagerId, want string) {
			t.Helper()
			f, err := open(b, at, "shuffle_4_9_1")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if data, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size())); err != nil || string(data) != want {
				t.Errorf("%q, %v", data, err)
			}
		}
		read(at1, "one")
		read(at2, "two!")
		if err := b1.Close(); err != nil { // its files are still there
			t.Fatal(err)
		}
		read(at1, "one")
		if _, err := open(b, at1, "shuffle_4_8_1"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("an output that is not there: %v", err)
		}
		if _, err := open(b, at1, "rdd_4_1"); err == nil {
			t.Error("a cached block is no map output")
		}
		other := openNear(nearConf(t, nil), tr, "another app")
		if _, err := other(b, at2, "shuffle_4_9_1"); !errors.Is(err, bulk.ErrNotServed) {
			t.Errorf("an executor of another application: %v", err)
		}
		at2.ExecutorId = "3"
		if _, err := open(b, at2, "shuffle_4_9_1"); !errors.Is(err, bulk.ErrNotServed) {
			t.Errorf("another executor at that address: %v", err)
		}
		if err := b2.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := open(b, at2, "shuffle_4_9_1"); !errors.Is(err, bulk.ErrNotServed) {
			t.Errorf("who has refused is asked again: %v", err)
		}
	})
}

// It remembers so many neighbours as the setting says, and reads nothing where the settings do not want it.
func TestNeighboursAreForgottenAndMayBeLeftAlone(t *testing.T) {
	b1, at1 := neighbourWith(t, "1", "one")
	_, at2 := neighbourWith(t, "2", "two")
	transferring(t, func(b *rpcenv.Blocking, tr Transfer) {
		open := openNear(nearConf(t, map[string]string{"spark.storage.localDiskByExecutors.cacheSize": "1"}), tr, "app")
		for _, at := range []*storagepb.BlockManagerId{at1, at2} {
			f, err := open(b, at, "shuffle_4_9_1")
			if err != nil {
				t.Fatal(err)
			}
			_ = f.Close()
		}
		if err := b1.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := open(b, at1, "shuffle_4_9_1"); err == nil {
			t.Error("the first neighbour is remembered beside the second one")
		}
		if openNear(nearConf(t, map[string]string{"spark.shuffle.readHostLocalDisk": "false"}), tr, "app") != nil {
			t.Error("files are read though the settings do not want it")
		}
	})
}
