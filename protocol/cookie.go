package protocol

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"io"
)

// CookieLength is the number of bytes of a cookie, the NUL at its end included.
const CookieLength = 37

// A Cookie identifies a test. The client sends it first on the control
// connection and on every TCP and SCTP data connection.
type Cookie [CookieLength]byte

// cookieAlphabet is base32 in lower case, which iperf3 uses since 3.2.
const cookieAlphabet = "abcdefghijklmnopqrstuvwxyz234567"

// NewCookie returns 36 random characters and a NUL. It fails only when the
// system has no random numbers.
func NewCookie() (Cookie, error) {
	var c Cookie
	if _, err := rand.Read(c[:CookieLength-1]); err != nil {
		return Cookie{}, fmt.Errorf("make a cookie: %w", err)
	}
	for i := range CookieLength - 1 {
		c[i] = cookieAlphabet[int(c[i])%len(cookieAlphabet)]
	}
	return c, nil
}

// String returns the cookie up to its first NUL, as iperf3 prints it.
func (c Cookie) String() string {
	text, _, _ := bytes.Cut(c[:], []byte{0})
	return string(text)
}

// Equal reports whether all 37 bytes are the same, in a time that does not
// depend on where they differ.
func (c Cookie) Equal(o Cookie) bool {
	return subtle.ConstantTimeCompare(c[:], o[:]) == 1
}

// ReadCookie reads exactly 37 bytes from a data connection and nothing beyond
// them. They are opaque: clients before 3.2 put a host name into them. It fails
// with CodeRecvCookie.
func ReadCookie(r io.Reader) (Cookie, error) {
	var c Cookie
	if _, err := io.ReadFull(r, c[:]); err != nil {
		return Cookie{}, NewError(CodeRecvCookie, err)
	}
	return c, nil
}

// WriteCookie writes the cookie in one Write. It fails with CodeSendCookie.
func WriteCookie(w io.Writer, c Cookie) error {
	if _, err := w.Write(c[:]); err != nil {
		return NewError(CodeSendCookie, err)
	}
	return nil
}
