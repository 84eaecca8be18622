package web

// This file decides to which addresses a connection may be made. It is asked when an address is dialled, so a name that by then means
// another address than before is of no use.

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// metadata are addresses, among public and private ones, at which clouds hand out credentials to whoever asks. No host may have them.
var metadata = prefixes("168.63.129.16/32", "100.100.100.200/32", "fd00:ec2::254/128")

// private are the networks in which a host can declare its own.
var private = prefixes("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "::1/128", "fc00::/7")

var public = ssrf.New(ssrf.WithAnyPort())

func prefixes(texts ...string) (out []netip.Prefix) {
	for _, t := range texts {
		out = append(out, netip.MustParsePrefix(t))
	}
	return out
}

func within(ns []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(ns, func(n netip.Prefix) bool { return n.Contains(a) })
}

// mayDial reports whether an address is in one of the host's networks, or, if it declares none, in the public internet.
func (h *host) mayDial(a netip.Addr) bool {
	a = a.Unmap()
	switch {
	case a.Zone() != "" || within(metadata, a):
		return false
	case len(h.Networks) > 0:
		return within(h.Networks, a)
	}
	return a.IsGlobalUnicast() && !within(private, a) && public.SafeAddr(a) == nil
}

// control is the net.Dialer's: address is what is about to be dialled.
func (h *host) control(_, address string, _ syscall.RawConn) error {
	if to, err := netip.ParseAddrPort(address); err != nil || int(to.Port()) != h.Port || !h.mayDial(to.Addr()) {
		return refusef("%s has an address in a network that is not allowed", h.Name)
	}
	return nil
}

// dial connects to the host:port of a URL that admit has let through.
func (t *Transport) dial(ctx context.Context, _, address string) (net.Conn, error) {
	name, port, _ := net.SplitHostPort(address)
	h := t.find(name, port)
	if h == nil {
		return nil, refusef("the host is not allowed")
	}
	addrs, err := t.lookup(ctx, h.Name)
	if len(addrs) == 0 && err == nil {
		err = errors.New("no address")
	}
	for _, a := range addrs[:min(len(addrs), 8)] {
		d := net.Dialer{Timeout: 10 * time.Second, Control: h.control}
		var c net.Conn
		if c, err = d.DialContext(ctx, "tcp", net.JoinHostPort(a.Unmap().String(), strconv.Itoa(h.Port))); err == nil {
			return c, nil
		}
	}
	return nil, refusef("%s can't be reached: %w", h.Name, err)
}
