package figures

import "testing"

func TestShort(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0.00", 1.234: "1.23", 12.34: "12.3", 123.4: "123", 999.4: "999", 999.6: "1.00k", 12345: "12.3k", 999_600: "1.00M", 7.83e6: "7.83M", 1.5e12: "1500G",
	} {
		if got := Short(n); got != want {
			t.Errorf("%v: %s, want %s", n, got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	for want, of := range map[float64][]float64{2.5: {4, 1, 3, 2}, 3: {5, 3, 1}, 7: {7}} {
		if got := Median(of); got != want {
			t.Errorf("%v: %v, want %v", of, got, want)
		}
	}
}
