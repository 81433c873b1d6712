package web

import (
	"net/http"

	"github.com/coherer/coherer/rpcenv/httpserver"
)

// Guard lets requests through to h that a user can have meant: those to one of the server's names, which are all IP addresses,
// localhost and names, and, if they change something, those that no foreign page in a browser has sent.
func Guard(names []string, h http.Handler) http.Handler {
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "a page of another origin has sent this request: it is refused", http.StatusForbidden)
	}))
	// The name first: a page at a name that its owner points here has the right origin.
	inner := httpserver.Named(names, "use its address, or start it with SPARK_PUBLIC_DNS set to that name", origins.Handler(h))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		// The first four are Spark's. The policy keeps a page from running whatever a peer may have put into a name.
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
