//coherer:pure

package machine

import "slices"

// RetryPolicy says when the process of a container is started again. It mirrors ContainerRetryPolicy, with its numbers.
type RetryPolicy int32

// The policies.
const (
	NeverRetry RetryPolicy = iota
	RetryOnAllErrors
	RetryOnSpecificErrorCodes
)

// retryForEver as Retry.Left is no bound. It mirrors ContainerRetryContext.RETRY_FOREVER.
const retryForEver = -1

// Retry is how often, and after which codes, the process of a container is started again.
type Retry struct {
	Policy RetryPolicy
	// Codes are those of RetryOnSpecificErrorCodes.
	Codes []int32
	// Left is how many times are left; retryForEver is no bound.
	Left int32
}

// after reports whether a process that ended with code is started again, and what is left then. A process that a signal ended
// does not come here: somebody wanted its end.
func (r Retry) after(code int32) (left Retry, again bool) {
	again = r.Left != 0 && (r.Policy == RetryOnAllErrors || r.Policy == RetryOnSpecificErrorCodes && slices.Contains(r.Codes, code))
	if r.Left != retryForEver {
		r.Left--
	}
	return r, again
}
