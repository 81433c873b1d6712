package bench

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A rival whose library the registry does not serve is a line of the report, with what the go command said.
func TestApartThatIsNotServed(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	rivals, err := rivalsSource()
	if err != nil {
		t.Fatal(err)
	}
	_, err = apart{"ergo", "example.invalid/ergo", "v1.0.0"}.build(t.Context(), t.TempDir(), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "example.invalid/ergo v1.0.0: go mod tidy: ") || !strings.Contains(err.Error(), "GOPROXY=off") {
		t.Errorf("it says %v", err)
	}
	folders, err := filepath.Glob(filepath.Join(rivals, apartFolder, "*", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range folders {
		name := filepath.Base(filepath.Dir(at))
		if !slices.ContainsFunc(aparts, func(a apart) bool { return a.name == name }) {
			t.Errorf("%s is in no list", name)
		}
	}
	if len(folders) != len(aparts) {
		t.Errorf("%d programs, %d in the list", len(folders), len(aparts))
	}
}
