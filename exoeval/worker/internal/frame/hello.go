package frame

import "github.com/exoagent/exoagent/internal/wire"

// AppendHello writes a worker's first frame. walls has a bit for each wall around the worker, and size is its address space.
func AppendHello(b []byte, walls, size uint64) []byte {
	b = append(Begin(b, KindHello), Version, wire.Encoding)
	b = wire.AppendUint(b, walls)
	return End(wire.AppendUint(b, size))
}

// DecodeHello reads a worker's first frame, sent before any program runs in it.
func DecodeHello(s string, allWalls uint64) (walls, size uint64, err error) {
	r := read(s)
	if r.Byte() != Version || r.Byte() != wire.Encoding {
		r.Fail("the worker has another version than its host: build both from one version")
	}
	walls, size = uint64(r.UpTo(allWalls)), r.Uint()
	return walls, size, r.done()
}
