package main

import (
	"net"
	"net/netip"
	"testing"
)

// TestConns: an address has no more connections than are left for others, and a
// trusted proxy has all.
func TestConns(t *testing.T) {
	at := func(a string, port int) net.Addr {
		return &net.TCPAddr{IP: net.ParseIP(a), Port: port}
	}
	c := newConns(nil, 8, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	var leave []func()
	enter := func(a string) bool {
		l, ok := c.enter(at(a, len(leave)+1))
		if ok {
			leave = append(leave, l)
		}
		return ok
	}
	for i := range 6 {
		if ok := enter("1.1.1.1"); ok != (i < 4) {
			t.Errorf("connection %d of one address: %t", i, ok)
		}
	}
	for i, want := range []bool{true, true, false} {
		if ok := enter("2001:db8::" + string(rune('1'+i))); ok != want { // one network
			t.Errorf("connection %d of another: %t", i, ok)
		}
	}
	if !enter("3.3.3.3") || enter("3.3.3.3") {
		t.Error("a third")
	}
	if !enter("10.1.1.1") { // the eighth
		t.Error("the proxy")
	}
	if enter("4.4.4.4") {
		t.Error("there is no room")
	}
	leave[0]()
	leave[0]() // once
	if !enter("4.4.4.4") || enter("5.5.5.5") {
		t.Error("one has left")
	}
	for _, l := range leave {
		l()
	}
	if c.all != 0 || len(c.held) != 0 {
		t.Error(c.all, c.held)
	}
}

// TestConnsWait: where there is no room at all Accept waits, and Close ends that.
func TestConnsWait(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := newConns(l, 2, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
	accepted := make(chan net.Conn)
	ended := make(chan error)
	go func() {
		for {
			n, err := c.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- n
		}
	}()
	var there []net.Conn
	for range 3 {
		n, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		if len(there) < 2 {
			there = append(there, <-accepted)
		}
	}
	select {
	case <-accepted:
		t.Error("a third was taken")
	default:
	}
	there[0].Close()
	there[0] = <-accepted
	c.Close()
	if err := <-ended; err == nil {
		t.Error("it ends without a word")
	}
	for _, n := range there {
		n.Close()
	}
}
