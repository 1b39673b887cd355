package report

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestStamp(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 5, 7, 0, time.FixedZone("XST", -5400))
	for format, want := range map[string]string{
		"%c ":         "Sun Mar  1 09:05:07 2026 ",
		"[%F %T] ":    "[2026-03-01 09:05:07] ",
		"%H:%M:%S ":   "09:05:07 ",
		"%z %Z":       "-0130 XST",
		"%e|%-d|%_d":  " 1|1| 1",
		"%k %l %I %P": " 9  9 09 am",
		"%^a %#p":     "SUN am",
		"100%% %Q %":  "100% %Q %",
		"%5Y %03d":    "02026 001",
		"%j %U %W %V": "060 09 08 09",
		"%Ey %Od":     "26 01",
		"":            "",
	} {
		if got := Stamp(format, at); got != want {
			t.Errorf("Stamp(%q) = %q, want %q", format, got, want)
		}
	}
}

// The system's own date(1) agrees about every conversion, over days at which
// week numbers and years turn.
func TestStampAgainstDate(t *testing.T) {
	date, err := exec.LookPath("date")
	if err != nil {
		t.Skip("no date command: ", err)
	}
	const conversions = "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%"
	var format strings.Builder
	for _, c := range conversions {
		format.WriteString(string(c) + "=%" + string(c) + "|")
	}
	for _, day := range []string{"2024-12-30", "2026-01-01", "2026-11-30", "2027-01-03", "2000-02-29"} {
		at, _ := time.Parse("2006-01-02 15:04:05", day+" 00:07:09")
		cmd := exec.Command(date, "-u", "-d", day+" 00:07:09", "+"+format.String())
		cmd.Env = []string{"LC_ALL=C", "TZ=UTC"}
		out, err := cmd.Output()
		if err != nil {
			t.Skip("date does not take -d: ", err)
		}
		want := strings.TrimSuffix(string(out), "\n")
		if got := Stamp(format.String(), at); got != want {
			t.Errorf("%s:\n got %q\nwant %q", day, got, want)
		}
	}
}
