package sysinfo

import "testing"

// notUnderWine skips a test of something that wine lacks.
func notUnderWine(t *testing.T, what string) {
	t.Helper()
	if procWineVersion.Find() == nil {
		t.Skip("wine has no " + what)
	}
}
