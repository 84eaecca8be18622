package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/schema"
)

// client follows no redirection, because that would send players' programs to another host.
var client = &http.Client{
	Timeout:       time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

const (
	maxTries = 100
	playTime = 30 * time.Minute // the time of one attempt, with its wait in the queue
)

// player is a player who uses the API.
type player struct {
	at, token string
	tries     int // the tries of a request that comes too soon
}

func newPlayer(ctx context.Context, at string) (*player, error) {
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is no address of a challenge: want https://HOST, or http://HOST:PORT", at)
	}
	p := &player{at: strings.TrimRight(at, "/"), tries: maxTries}
	var out struct{ Token string }
	if err := p.call(ctx, "POST", "/api/v1/players", nil, &out); err != nil {
		return nil, err
	}
	p.token = out.Token
	return p, nil
}

// leave asks the challenge to end the player, because this process does not use the player again.
func (p *player) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = p.call(ctx, "DELETE", "/api/v1/player", nil, nil)
}

// play sends an attempt and waits for its end.
func (p *player) play(ctx context.Context, target string, lane game.Lane, input string) (*game.Attempt, error) {
	ctx, cancel := context.WithTimeout(ctx, playTime)
	defer cancel()
	a := &game.Attempt{}
	in := map[string]any{"target": target, "lane": lane, "input": input}
	if err := p.call(ctx, "POST", "/api/v1/attempts", in, a); err != nil {
		return nil, err
	}
	for !a.State.Over() {
		begin := time.Now()
		*a = game.Attempt{ID: a.ID}
		if err := p.call(ctx, "GET", "/api/v1/attempts/"+url.PathEscape(a.ID)+"?wait=20", nil, a); err != nil {
			return nil, err
		}
		if !a.State.Over() && time.Since(begin) < time.Second {
			select { // the host has no place for a waiting request now, so ask again a moment later
			case <-time.After(time.Second):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	return a, nil
}

const maxAnswer = 4 << 20

// call sends a request, and sends it again if the host answers that it came too soon.
func (p *player) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	for range p.tries {
		r, err := http.NewRequestWithContext(ctx, method, p.at+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		if in != nil {
			r.Header.Set("Content-Type", "application/json")
		}
		if p.token != "" {
			r.Header.Set("Authorization", "Bearer "+p.token)
		}
		res, err := client.Do(r)
		if err != nil {
			return err
		}
		b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
		res.Body.Close()
		if err != nil {
			return err
		}
		if res.StatusCode == http.StatusTooManyRequests {
			after, err := strconv.Atoi(res.Header.Get("Retry-After"))
			if err != nil {
				after = 1
			}
			select {
			case <-time.After(time.Duration(min(max(after, 1), 60)) * time.Second):
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if res.StatusCode >= 300 {
			var e struct{ Error struct{ Message string } }
			_ = json.Unmarshal(b, &e)
			return fmt.Errorf("the challenge answered with the HTTP status %d: %s", res.StatusCode, schema.Printable(e.Error.Message))
		}
		if out == nil {
			return nil
		}
		if json.Unmarshal(b, out) != nil {
			return errors.New("the challenge's answer is not the JSON that this client expects: check the address and the version of the challenge")
		}
		return nil
	}
	return errors.New("the challenge refuses the request even after the wait that it asked for; try again later")
}
