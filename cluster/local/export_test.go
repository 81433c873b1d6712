package local

// RestartMaster starts a Master at the address of the one that was killed, with its records.
func (c *Cluster) RestartMaster() {
	c.t.Helper()
	c.startMaster()
}
