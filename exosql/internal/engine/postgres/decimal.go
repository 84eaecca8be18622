package postgres

import (
	"cmp"
	"encoding/binary"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
)

// decodeNumeric returns the canonical text of a decimal number: no exponent, no needless zeros,
// no minus before zero. NaN and infinity become the zero Value.
func decodeNumeric(b []byte) value.Value {
	if len(b) < 8 {
		return value.Value{}
	}
	n, weight := int(binary.BigEndian.Uint16(b)), int(int16(binary.BigEndian.Uint16(b[2:])))
	sign, digits := binary.BigEndian.Uint16(b[4:]), b[8:]
	if sign != 0 && sign != 0x4000 || len(digits) != 2*n {
		return value.Value{}
	}
	// The digits are in groups of four; the first group has the value 10000^weight.
	group := func(i int) int {
		if i < 0 || i >= n {
			return 0
		}
		return int(binary.BigEndian.Uint16(digits[2*i:]))
	}
	var whole, part []byte
	for i := range max(weight, -1) + 1 {
		whole = appendGroup(whole, group(i))
	}
	for i := weight + 1; i < n; i++ {
		if i >= 0 || part != nil {
			part = appendGroup(part, group(i))
			continue
		}
		part = appendGroup(make([]byte, 0, 4*(n-i)), 0) // write the zeros between the point and the first group
	}
	w, p := strings.TrimLeft(string(whole), "0"), strings.TrimRight(string(part), "0")
	w = cmp.Or(w, "0")
	if p != "" {
		p = "." + p
	}
	if sign != 0 && w+p != "0" {
		w = "-" + w
	}
	return value.Text(w + p)
}

func appendGroup(b []byte, g int) []byte {
	return append(b, byte('0'+g/1000%10), byte('0'+g/100%10), byte('0'+g/10%10), byte('0'+g%10))
}
