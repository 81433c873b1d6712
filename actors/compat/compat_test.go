package compat

import "testing"

func TestTheTextOfFaults(t *testing.T) {
	for text, ids := range map[string][]string{"fixed": nil, "SPARK-2425,YARN-FAIR": {"SPARK-2425", "YARN-FAIR"}} {
		if got := faults.Text(ids); got != text {
			t.Errorf("%s, want %s", got, text)
		}
	}
}
