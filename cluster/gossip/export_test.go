package gossip

// Name is this member's name.
func (m *Member) Name() string { return m.name }
