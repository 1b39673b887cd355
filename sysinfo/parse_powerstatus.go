package sysinfo

// powerStatus is Windows' answer about mains and battery.
type powerStatus struct {
	OnBattery  *bool // nil: Windows does not know
	HasBattery *bool // nil: Windows does not know
	Saver      bool  // battery saver is on
}

// parsePowerStatus reads a SYSTEM_POWER_STATUS (winbase.h). 255 is unknown in
// each of its bytes; a battery flag of 128 says that there is none.
func parsePowerStatus(b []byte) (powerStatus, error) {
	if len(b) < 12 {
		return powerStatus{}, because(ParseError, "SYSTEM_POWER_STATUS of %d bytes", len(b))
	}
	s := powerStatus{Saver: b[3] == 1}
	switch b[0] {
	case 0:
		s.OnBattery = new(true)
	case 1:
		s.OnBattery = new(false)
	}
	if b[1] != 255 {
		s.HasBattery = new(b[1]&128 == 0)
	}
	return s, nil
}
