package main

import (
	"io"
	"net"
	"net/url"
	"os"
	"runtime"
	"testing"
	"time"
)

// atDistance is the URL of a server at the round-trip time that EXO_RTT says, as between machines of one zone
// (500us): on loopback a round trip costs nearly nothing, so a program that needs one more than a person looks
// better than it will be, and its own work larger.
func atDistance(b *testing.B, server string) string {
	text := os.Getenv("EXO_RTT")
	if text == "" {
		return server
	}
	rtt, err := time.ParseDuration(text)
	if err != nil {
		b.Fatalf("EXO_RTT: %v", err)
	}
	u, err := url.Parse(server)
	if err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	behind := u.Host
	u.Host = l.Addr().String()
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", behind)
			if err != nil {
				client.Close()
				continue
			}
			go delayed(server, client, rtt/2)
			go delayed(client, server, rtt/2)
		}
	}()
	return u.String()
}

// delayed passes on what comes from src, each piece a while after it came: pieces that follow one another closely
// arrive so, and are not delayed one after the other.
func delayed(dst, src net.Conn, by time.Duration) {
	type piece struct {
		bytes []byte
		due   time.Time
	}
	pieces := make(chan piece, 1024)
	go func() {
		defer close(pieces)
		for {
			room := make([]byte, 64<<10)
			n, err := src.Read(room)
			if n > 0 {
				pieces <- piece{room[:n], time.Now().Add(by)}
			}
			if err != nil {
				if err != io.EOF {
					dst.Close()
				}
				return
			}
		}
	}()
	defer dst.Close()
	for p := range pieces {
		time.Sleep(time.Until(p.due) - 2*time.Millisecond)
		for time.Now().Before(p.due) { // Sleep wakes up to a millisecond late, which would be several such distances
			runtime.Gosched()
		}
		if _, err := dst.Write(p.bytes); err != nil {
			src.Close()
			for range pieces {
			}
			return
		}
	}
}
