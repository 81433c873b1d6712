package master_test

import (
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// request asks for so many executors of each profile.
func (d *driver) request(app string, totals ...*deploy.ProfileTarget) bool {
	d.k.t.Helper()
	ok, err := rpctest.Ask[*rpc.Bool](d.Probe, d.k.ref, &deploy.RequestExecutors{AppId: app, Totals: totals})
	if err != nil {
		d.k.t.Fatal(err)
	}
	return ok.GetValue()
}

func total(profile *deploy.ResourceProfile, n int32) *deploy.ProfileTarget {
	return &deploy.ProfileTarget{Profile: profile, Total: n}
}

// dynamic registers an application that wants no executor yet.
func (k *kit) dynamic(name string) *driver {
	d := k.newDriver(name)
	d.desc.InitialExecutorLimit = proto.Int32(0)
	d.register()
	return d
}

var standard = &deploy.ResourceProfile{}
