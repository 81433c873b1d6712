package web

import (
	"net/http"

	"github.com/coherer/coherer/rpcenv/httpserver"
)

// Guard lets through to h what a user can have meant: requests to one of the server's names, which are all IP addresses,
// localhost and names; and of requests that change something those that no foreign page in a browser has sent.
func Guard(names []string, h http.Handler) http.Handler {
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "a page of another origin has sent this request: it is refused", http.StatusForbidden)
	}))
	inner := httpserver.Named(names, "use its address, or start it with SPARK_PUBLIC_DNS set to that name", origins.Handler(h))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Cache-Control", "no-cache, no-store, must-revalidate")
		head.Set("X-Frame-Options", "SAMEORIGIN")
		head.Set("X-XSS-Protection", "1; mode=block")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "same-origin")
		head.Set("Content-Security-Policy",
			"default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'self'; base-uri 'none'")
		inner.ServeHTTP(w, r)
	})
}
