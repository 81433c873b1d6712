package web

import (
	"time"

	"github.com/coherer/coherer/cluster/gossip"
)

// Member is a row of the table of members, which the pages of all daemons have: the template "members".
type Member struct {
	gossip.Standing
	// Story is its state in words; Began is when it began, empty when it does not say.
	Story, Began string
	// Well says that it is alive or left in order.
	Well bool
}

// MemberRows are the rows of the table of members; none for a daemon that is no member yet.
func (s *Site) MemberRows() (rows []Member) {
	if s.Members == nil {
		return nil
	}
	all := s.Members()
	for _, m := range all {
		row := Member{Standing: m, Story: m.Story(all), Well: m.State == gossip.Alive || m.State == gossip.Left}
		if m.Since != 0 {
			row.Began = date(m.Since * time.Second.Milliseconds())
		}
		rows = append(rows, row)
	}
	return rows
}
