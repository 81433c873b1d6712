package fair

import (
	"encoding/json"
	"testing"

	"github.com/coherer/coherer/rpcenv/rpctest/recorded"
)

// goldenFolder has recorded inputs and what Hadoop 3.4.1 answered; COHERER_GOLDEN_DIR names another one.
const goldenFolder = "testdata/golden"

// goldenCase is one recorded case; what Input and Expected hold depends on Kind.
type goldenCase struct {
	ID, Title, Kind string
	Input, Expected json.RawMessage
}

// goldenKinds replay a case and say where the outcome is another than expected: nothing when it is the same.
var goldenKinds = map[string]func(c goldenCase, faults Faults) []string{
	"fairShares": replayFairShares,
	"comparator": replayComparator,
	"parse":      replayParse,
	"placement":  replayPlacement,
	"sequence":   replaySequence,
}

// goldenResource is a Resource as the cases write it.
type goldenResource struct {
	MB     int64 `json:"mb"`
	VCores int64 `json:"vcores"`
}

func (r goldenResource) resource() Resource { return Resource{r.MB, r.VCores} }

func golden(r Resource) goldenResource { return goldenResource{r.Memory, r.VCores} }

// must decodes what the golden files hold; they are ours, so that an error is a fault of the test.
func must[T any](data json.RawMessage) T {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		panic(err)
	}
	return v
}

// goldenFiles are the cases by the name of their file.
func goldenFiles(t testing.TB) (names []string, cases map[string][]goldenCase) {
	t.Helper()
	cases = map[string][]goldenCase{}
	recorded.Each(t, recorded.Folder(goldenFolder), "*.json", func(name string, all []goldenCase) {
		names = append(names, name)
		cases[name] = all
	})
	return names, cases
}

// TestGolden: with the faults of Hadoop the outcome is Hadoop's, in every recorded case.
func TestGolden(t *testing.T) {
	names, cases := goldenFiles(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for _, c := range cases[name] {
				t.Run(c.ID, func(t *testing.T) {
					replay, ok := goldenKinds[c.Kind]
					if !ok {
						t.Fatalf("nothing replays a case of kind %q", c.Kind)
					}
					for _, difference := range replay(c, Upstream()) {
						t.Errorf("%s: %s", c.Title, difference)
					}
				})
			}
		})
	}
}
