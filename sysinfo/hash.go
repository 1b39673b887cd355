package sysinfo

import (
	"crypto/sha256"
	"encoding/hex"
)

// hash hides an identifier so that only the two ends of one test, which share
// the salt, can see that theirs match. Without a salt there is nothing to
// match, and it is nil.
func (p *probe) hash(id string) *string {
	if len(p.Salt) == 0 || id == "" {
		return nil
	}
	sum := sha256.Sum256(append(append([]byte{}, p.Salt...), id...))
	return new(hex.EncodeToString(sum[:8]))
}
