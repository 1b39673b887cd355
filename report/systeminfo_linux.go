package report

import "syscall"

// uname returns the fields of uname(2).
func uname() ([]string, error) {
	var u syscall.Utsname
	if err := syscall.Uname(&u); err != nil {
		return nil, err
	}
	return []string{text(u.Sysname[:]), text(u.Nodename[:]), text(u.Release[:]), text(u.Version[:]), text(u.Machine[:])}, nil
}

// text reads a C string, whose characters have a sign on some architectures.
func text[T int8 | uint8](c []T) string {
	b := make([]byte, 0, len(c))
	for _, x := range c {
		if x == 0 {
			break
		}
		b = append(b, byte(x))
	}
	return string(b)
}
