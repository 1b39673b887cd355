package report

import (
	"encoding/json"
	"os"
	"testing"
)

// Every number that iperf3 3.21 was asked to print comes out the same.
func TestUnitNumber(t *testing.T) {
	raw, err := os.ReadFile("testdata/units.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Format []struct {
			Format string
			Bytes  float64 `json:"bytes_or_bytes_per_second"`
			Text   string
		}
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Format) < 620 {
		t.Fatalf("%d vectors, want 620", len(vectors.Format))
	}
	for _, v := range vectors.Format {
		if got := unitNumber(v.Bytes, v.Format[0]); got != v.Text {
			t.Errorf("unitNumber(%v, %s) = %q, want %q", v.Bytes, v.Format, got, v.Text)
		}
	}
}

func TestSizeAndRate(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{sizeText(2621440), "2.50 MBytes"},
		{sizeText(524288), " 512 KBytes"},
		{sizeText(0), "0.00 Bytes"},
		{bitRate(20.9e6, 0), "20.9 Mbits/sec"},
		{bitRate(20.9e6, 'k'), "20900 Kbits/sec"},
		{bitRate(0, 0), "0.00 bits/sec"},
		{bitRate(8*1024*1024, 'M'), "1.00 MBytes/sec"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
