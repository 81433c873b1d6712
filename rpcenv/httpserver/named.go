package httpserver

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Named lets through to h the requests to one of the server's names, which are all IP addresses, localhost and names. Others are
// 403, with advice: a page of a name that an attacker points at this machine (DNS rebinding) reads nothing.
func Named(names []string, advice string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ours(r.Host, names) {
			http.Error(w, fmt.Sprintf("%q is no name of this server: %s", r.Host, advice), http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// ours reports whether a Host header names this server. An address cannot be made to point elsewhere.
func ours(hostport string, names []string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" {
		return true
	}
	return host != "" && slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, host) })
}
