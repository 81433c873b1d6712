package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Guard lets through to h what a user can have meant: requests to one of the server's names, which are all IP addresses,
// localhost and names; and of requests that change something those that no foreign page in a browser has sent.
func Guard(names []string, h http.Handler) http.Handler {
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "a page of another origin has sent this request: it is refused", http.StatusForbidden)
	}))
	inner := origins.Handler(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Cache-Control", "no-cache, no-store, must-revalidate")
		head.Set("X-Frame-Options", "SAMEORIGIN")
		head.Set("X-XSS-Protection", "1; mode=block")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "same-origin")
		head.Set("Content-Security-Policy",
			"default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'self'; base-uri 'none'")
		if !ours(r.Host, names) {
			http.Error(w, fmt.Sprintf("%q is no name of this server: use its address, or start it with SPARK_PUBLIC_DNS set to that name",
				r.Host), http.StatusForbidden)
			return
		}
		inner.ServeHTTP(w, r)
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
