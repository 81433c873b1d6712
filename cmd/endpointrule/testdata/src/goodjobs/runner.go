package goodjobs

import "example.org/actors/rdd"

// What a Runner gives to the package runs in its own process.
func runs() (n int) {
	rdd.Run(func() { n++ })
	return n
}
