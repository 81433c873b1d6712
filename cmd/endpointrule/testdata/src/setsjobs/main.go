// Package setsjobs changes a variable of a package with jobs.
package setsjobs

import "goodjobs"

func run() {
	goodjobs.Limit = 100 // want `goodjobs.Limit is assigned .* has jobs`
}
