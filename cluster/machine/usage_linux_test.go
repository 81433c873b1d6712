package machine

import (
	"os"
	"testing"
)

func TestTheMemoryOfThisProcess(t *testing.T) {
	m, err := Usage(os.Getpid())
	if err != nil || m.Resident < 1<<20 || m.Virtual < m.Resident {
		t.Errorf("%+v %v", m, err)
	}
}
