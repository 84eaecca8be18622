package testutil

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

var ports sync.Map

// Port returns a port of loopback for a server that is started later. It is below those that systems give to connections of clients, so none of
// these takes it meanwhile. A process gets each port once.
func Port(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 20_000 + rand.IntN(12_000)
		if _, taken := ports.LoadOrStore(port, true); taken {
			continue
		}
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}
