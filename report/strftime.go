package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Stamp writes t the way C's strftime does in the C locale (ISO C11 7.27.3.5,
// with the GNU conversions %P, %k, %l and %s and the flags _ - 0 ^ #). Time is
// shown in t's own location. A conversion that does not exist is left as it is.
func Stamp(format string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(format); {
		if format[i] != '%' {
			b.WriteByte(format[i])
			i++
			continue
		}
		text, n := conversion(format[i:], t)
		b.WriteString(text)
		i += n
	}
	return b.String()
}

// conversion writes the conversion that spec begins with and tells its length.
func conversion(spec string, t time.Time) (text string, length int) {
	i := 1
	var flag byte
	for i < len(spec) && strings.IndexByte("_-0^#", spec[i]) >= 0 {
		flag = spec[i]
		i++
	}
	width := 0
	for i < len(spec) && spec[i] >= '0' && spec[i] <= '9' && width < 1000 {
		width = width*10 + int(spec[i]-'0')
		i++
	}
	for i < len(spec) && (spec[i] == 'E' || spec[i] == 'O') { // alternative forms do not exist in the C locale
		i++
	}
	if i == len(spec) {
		return spec, i
	}
	pad := byte('0')
	text, digits, ok := field(spec[i], t)
	i++
	if !ok {
		return spec[:i], i
	}
	if digits == 0 || digits < 0 {
		pad = ' '
	}
	switch flag {
	case '-':
		pad, digits, width = 0, 0, 0
	case '_', '0':
		pad = map[byte]byte{'_': ' ', '0': '0'}[flag]
	case '^':
		text = strings.ToUpper(text)
	case '#':
		if text == strings.ToUpper(text) {
			text = strings.ToLower(text)
		} else {
			text = strings.ToUpper(text)
		}
	}
	width = max(width, digits, -digits)
	if n := width - len(text); n > 0 {
		text = strings.Repeat(string(pad), n) + text
	}
	return text, i
}

// field writes one conversion without padding. digits is the width that a
// number is padded to: with zeros, or with blanks if negative; 0 for a text.
func field(c byte, t time.Time) (text string, digits int, ok bool) {
	number := func(n, digits int) (string, int, bool) { return strconv.Itoa(n), digits, true }
	whole := func(layout string) (string, int, bool) { return Stamp(layout, t), 0, true }
	hour12 := (t.Hour()+11)%12 + 1
	isoYear, isoWeek := t.ISOWeek()
	switch c {
	case 'a':
		return t.Format("Mon"), 0, true
	case 'A':
		return t.Format("Monday"), 0, true
	case 'b', 'h':
		return t.Format("Jan"), 0, true
	case 'B':
		return t.Format("January"), 0, true
	case 'c':
		return whole("%a %b %e %H:%M:%S %Y")
	case 'C':
		return number(t.Year()/100, 2)
	case 'd':
		return number(t.Day(), 2)
	case 'D', 'x':
		return whole("%m/%d/%y")
	case 'e':
		return number(t.Day(), -2)
	case 'F':
		return whole("%Y-%m-%d")
	case 'g':
		return number(isoYear%100, 2)
	case 'G':
		return number(isoYear, 1)
	case 'H':
		return number(t.Hour(), 2)
	case 'I':
		return number(hour12, 2)
	case 'j':
		return number(t.YearDay(), 3)
	case 'k':
		return number(t.Hour(), -2)
	case 'l':
		return number(hour12, -2)
	case 'm':
		return number(int(t.Month()), 2)
	case 'M':
		return number(t.Minute(), 2)
	case 'n':
		return "\n", 0, true
	case 'p':
		return t.Format("PM"), 0, true
	case 'P':
		return t.Format("pm"), 0, true
	case 'r':
		return whole("%I:%M:%S %p")
	case 'R':
		return whole("%H:%M")
	case 's':
		return strconv.FormatInt(t.Unix(), 10), 1, true
	case 'S':
		return number(t.Second(), 2)
	case 't':
		return "\t", 0, true
	case 'T', 'X':
		return whole("%H:%M:%S")
	case 'u':
		return number((int(t.Weekday())+6)%7+1, 1)
	case 'U': // weeks begin on Sunday
		return number((t.YearDay()+6-int(t.Weekday()))/7, 2)
	case 'V':
		return number(isoWeek, 2)
	case 'w':
		return number(int(t.Weekday()), 1)
	case 'W': // weeks begin on Monday
		return number((t.YearDay()+6-(int(t.Weekday())+6)%7)/7, 2)
	case 'y':
		return number(t.Year()%100, 2)
	case 'Y':
		return number(t.Year(), 1)
	case 'z':
		_, offset := t.Zone()
		sign := '+'
		if offset < 0 {
			sign, offset = '-', -offset
		}
		return fmt.Sprintf("%c%02d%02d", sign, offset/3600, offset/60%60), 0, true
	case 'Z':
		zone, _ := t.Zone()
		return zone, 0, true
	case '%':
		return "%", 0, true
	}
	return "", 0, false
}
