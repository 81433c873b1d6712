package bench

// reminder makes the loop that waits for it look for messages that are due; one reminder stands for all.
type reminder chan struct{}

func newReminder() reminder { return make(reminder, 1) }

func (r reminder) remind() {
	select {
	case r <- struct{}{}:
	default:
	}
}
