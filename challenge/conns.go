package main

import (
	"net"
	"net/netip"
	"sync"

	"github.com/exoagent/exoagent/challenge/web"
)

// conns accepts a limited number of connections at a time. Connections that send nothing count, too. One address gets at most as many as remain
// free, so that another address still finds one. A trusted proxy has connections of many players, so it must bound them itself.
type conns struct {
	net.Listener
	most    int
	trusted []netip.Prefix

	mu   sync.Mutex
	room sync.Cond // signals that a connection has ended
	held map[string]int
	all  int
	shut bool
}

func newConns(l net.Listener, most int, trusted []netip.Prefix) *conns {
	c := &conns{Listener: l, most: most, trusted: trusted, held: map[string]int{}}
	c.room.L = &c.mu
	return c
}

// Accept returns the next connection. It waits while there is no room for one.
func (c *conns) Accept() (net.Conn, error) {
	for {
		c.mu.Lock()
		for c.all >= c.most && !c.shut {
			c.room.Wait()
		}
		c.mu.Unlock()
		n, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if leave, ok := c.enter(n.RemoteAddr()); ok {
			return &conn{n, leave}, nil
		}
		n.Close()
	}
}

func (c *conns) enter(from net.Addr) (leave func(), ok bool) {
	key, bounded := web.Peer(from, c.trusted)
	c.mu.Lock()
	defer c.mu.Unlock()
	if bounded && c.held[key] >= c.most-c.all {
		return nil, false
	}
	c.held[key]++
	c.all++
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.held[key]--; c.held[key] == 0 {
			delete(c.held, key)
		}
		c.all--
		c.room.Signal()
	}), true
}

// Close closes the listener, and ends the calls of Accept that wait for room.
func (c *conns) Close() error {
	c.mu.Lock()
	c.shut = true
	c.room.Broadcast()
	c.mu.Unlock()
	return c.Listener.Close()
}

type conn struct {
	net.Conn
	leave func()
}

func (c *conn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
