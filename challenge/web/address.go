package web

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// address returns the address that a request counts for. The sender chooses X-Forwarded-For, up to the first trusted proxy. So the header is
// read from the right, and the first address that is no trusted proxy counts. If the sender is no trusted proxy, the header is ignored.
func address(r *http.Request, trusted []netip.Prefix) (netip.Addr, bool) {
	at, ok := parsed(r.RemoteAddr)
	if !ok || !within(at, trusted) {
		return at, ok
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, h := range slices.Backward(hops) {
		a, ok := hop(strings.TrimSpace(h))
		if !ok {
			break // a proxy wrote no address, so the rest is not trusted
		}
		if at = a; !within(at, trusted) {
			break
		}
	}
	return at, true
}

// hop reads one entry of X-Forwarded-For, to which some proxies add a port.
func hop(s string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Unmap().WithZone(""), true
	}
	return parsed(s)
}

func parsed(hostport string) (netip.Addr, bool) {
	ap, err := netip.ParseAddrPort(hostport)
	return ap.Addr().Unmap().WithZone(""), err == nil
}

// Peer returns the key for counting a connection. The result bounded is false for a trusted proxy.
func Peer(from net.Addr, trusted []netip.Prefix) (key string, bounded bool) {
	at, ok := parsed(from.String())
	if !ok {
		return "", true
	}
	return bucketKey(at), !within(at, trusted)
}

func within(a netip.Addr, ps []netip.Prefix) bool {
	return slices.ContainsFunc(ps, func(p netip.Prefix) bool { return p.Contains(a) })
}

// bucketKey returns the part of an address that one subscriber has: for IPv6 a whole network.
func bucketKey(a netip.Addr) string {
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}
