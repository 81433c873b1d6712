package spark

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/messages/deploy"
)

// mostForm bounds the body of an action.
const mostForm = 64 << 10

// refusesKills is why the pages kill nothing, or "". A kill by REST needs the token of coherer.rest.tokenFile; a page must not
// do the same without one.
func (p *masterPages) refusesKills() string {
	switch {
	case !known.UIKillEnabled.Get(p.Conf):
		return known.UIKillEnabled.Key() + " is false: nothing is killed by a page"
	case known.RESTTokenFile.Get(p.Conf) != "":
		return known.RESTTokenFile.Key() + " is set: nothing is killed by a page; end a driver with coherer submit --kill"
	}
	return ""
}

// form parses the form of an action into r; false: it has answered already, with refused or what is wrong with the form.
func (p *masterPages) form(w http.ResponseWriter, r *http.Request, refused string) bool {
	r.Body = http.MaxBytesReader(w, r.Body, mostForm)
	switch err := r.ParseForm(); {
	case err != nil:
		http.Error(w, "the form cannot be read: "+err.Error(), http.StatusBadRequest)
	case refused != "":
		http.Error(w, refused, http.StatusMethodNotAllowed)
	default:
		return true
	}
	return false
}

// killApp ends an application. It mirrors MasterPage.handleAppKillRequest.
func (p *masterPages) killApp(w http.ResponseWriter, r *http.Request) {
	p.kill(w, r, func(id string) (refusal string, err error) {
		found, err := web.Ask(r.Context(), p.Env, p.Ref, &deploy.KillApplication{AppId: id})
		if err != nil || found.GetValue() {
			return "", err
		}
		return fmt.Sprintf("the Master runs no application %q: nothing is killed", id), nil
	})
}

// killDriver ends a driver. It mirrors MasterPage.handleDriverKillRequest.
func (p *masterPages) killDriver(w http.ResponseWriter, r *http.Request) {
	p.kill(w, r, func(id string) (refusal string, err error) {
		answer, err := web.Ask(r.Context(), p.Env, p.Ref, &deploy.RequestKillDriver{DriverId: id})
		if err != nil || answer.GetSuccess() {
			return "", err
		}
		return answer.GetMessage(), nil
	})
}

// kill lets by end what the form, or as in Spark the query, names by id, if terminate is true. An unknown id is an error; Spark
// answers as if something had ended.
func (p *masterPages) kill(w http.ResponseWriter, r *http.Request, by func(id string) (refusal string, err error)) {
	if !p.form(w, r, p.refusesKills()) {
		return
	}
	switch terminate := strings.ToLower(r.Form.Get("terminate")); terminate {
	case "true":
	case "false", "":
		http.Redirect(w, r, "/", http.StatusFound)
		return
	default:
		http.Error(w, fmt.Sprintf("terminate = %.20q: want true or false", terminate), http.StatusBadRequest)
		return
	}
	refusal, err := by(r.Form.Get("id"))
	switch {
	case err != nil:
		p.Fail(w, err)
	case refusal != "":
		p.Log.Warnf("%s of %s: %s", r.URL.Path, r.RemoteAddr, refusal)
		http.Error(w, refusal, http.StatusNotFound)
	default:
		http.Redirect(w, r, "/", http.StatusFound)
	}
}

// killWorkers decommissions the Workers on the hosts that the form names, for clients that mayDecommission admits. It mirrors the
// servlet /workers/kill of MasterWebUI.
func (p *masterPages) killWorkers(w http.ResponseWriter, r *http.Request) {
	if !membership.DecommissionEnabled.Get(p.Conf) {
		http.Error(w, membership.DecommissionEnabled.Key()+" is false: no Worker is decommissioned", http.StatusMethodNotAllowed)
		return
	}
	if !p.form(w, r, "") {
		return
	}
	if !p.mayDecommission(r.RemoteAddr) {
		http.Error(w, known.MasterDecommissionAllowMode.Key()+" does not allow it", http.StatusMethodNotAllowed)
		return
	}
	hosts := r.Form["host"]
	p.Log.Infof("Received request to decommission hosts %q from %s", hosts, r.RemoteAddr)
	found, err := web.Ask(r.Context(), p.Env, p.Ref, &deploy.DecommissionWorkersOnHosts{Hostnames: hosts})
	switch {
	case err != nil:
		p.Fail(w, err)
	case found.GetCount() == 0:
		http.Error(w, "no Worker is on these hosts", http.StatusNotFound)
	default: // accepted, not done: decommissioning goes on after the answer
		w.WriteHeader(http.StatusAccepted)
	}
}

// mayDecommission reports whether spark.master.ui.decommission.allow.mode lets a client do so. LOCAL is a client on this
// machine: on loopback, or at one of the machine's own addresses.
func (p *masterPages) mayDecommission(remote string) bool {
	switch known.MasterDecommissionAllowMode.Get(p.Conf) {
	case "ALLOW":
		return true
	case "DENY":
		return false
	}
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return false
	}
	ip := at.Addr().Unmap() // a listener for both families reports 127.0.0.1 as ::ffff:127.0.0.1
	if ip.IsLoopback() {
		return true
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range own {
		if n, ok := a.(*net.IPNet); ok && n.IP.Equal(ip.AsSlice()) {
			return true
		}
	}
	return false
}
