package commit

// attempt is one try of a task (OutputCommitCoordinator.TaskIdentifier): a later attempt of its stage counts its tries anew.
type attempt struct{ stage, task int32 }

// stage is what is known of a stage that writes output.
type stage struct {
	// committers are the attempts that may commit, by partition; nil: none yet.
	committers []*attempt
	// failed attempts by partition. They must not commit: their tasks run again.
	failed map[int32]map[attempt]bool
}

func newStage(partitions int) *stage {
	return &stage{committers: make([]*attempt, partitions), failed: map[int32]map[attempt]bool{}}
}

// has reports whether the stage has a partition of that number: peers are not trusted.
func (s *stage) has(partition int32) bool {
	return partition >= 0 && int(partition) < len(s.committers)
}

// ask reports whether an attempt may commit, and if so notes that; why not, otherwise.
func (s *stage) ask(partition int32, a attempt) (may bool, why string) {
	switch {
	case !s.has(partition):
		return false, "the stage has no such partition"
	case s.failed[partition][a]:
		return false, "task attempt already marked as failed"
	case s.committers[partition] != nil:
		return false, "another attempt commits"
	}
	s.committers[partition] = &a
	return true, ""
}

// fail notes that an attempt has failed; true when it was the one that may commit, whose place is free again.
func (s *stage) fail(partition int32, a attempt) (freed bool) {
	if !s.has(partition) {
		return false
	}
	if s.failed[partition] == nil {
		s.failed[partition] = map[attempt]bool{}
	}
	s.failed[partition][a] = true
	if c := s.committers[partition]; c == nil || *c != a {
		return false
	}
	s.committers[partition] = nil
	return true
}
