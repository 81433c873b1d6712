package master_test

import (
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func (w *worker) decommission() {
	w.k.t.Helper()
	w.Send(w.k.ref, &deploy.WorkerDecommissioning{Id: w.reg.GetId(), Worker: w.Ref.Proto()})
	w.k.Settle()
}

func (k *kit) decommissionHosts(hosts ...string) int32 {
	k.t.Helper()
	n, err := rpctest.Ask[*deploy.DecommissionWorkersOnHostsResponse](k.tool, k.ref, &deploy.DecommissionWorkersOnHosts{Hostnames: hosts})
	if err != nil {
		k.t.Fatal(err)
	}
	k.Settle()
	return n.GetCount()
}
