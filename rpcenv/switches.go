package rpcenv

// switches say what an Env records. They are replaced, never changed.
type switches struct {
	all  bool
	only map[string]bool // endpoints that were switched alone
}

func (s *switches) records(endpoint string) bool {
	if on, alone := s.only[endpoint]; alone {
		return on
	}
	return s.all
}
