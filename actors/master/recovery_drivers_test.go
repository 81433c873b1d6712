package master_test

import ()

// drivers are the Master's, as STATE in the order of their submission.
func (k *kit) drivers() (active, completed []string) {
	k.t.Helper()
	s := k.state()
	for _, d := range s.GetActiveDrivers() {
		active = append(active, d.GetState().String())
	}
	for _, d := range s.GetCompletedDrivers() {
		completed = append(completed, d.GetState().String())
	}
	return active, completed
}
