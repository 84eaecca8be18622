// Package arena has the rules of the challenge, without its pages. It accepts an attempt, queues, plays and stores it, and decides which
// player may see which attempt. It trusts no caller. A token alone identifies a player, and only the player who sent an attempt sees it,
// unless that player shares it.
package arena

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/queue"
	"github.com/exoagent/exoagent/challenge/store"
)

// Arena is one challenge. Several goroutines may call its methods.
type Arena struct {
	Game  *game.Game
	Store *store.Store
	Queue *queue.Queue
	// Questions is the queue of the model lane, where attempts last for minutes and mostly wait for the model; if Questions is nil, they wait in Queue
	Questions *queue.Queue
	// Room bounds the attempts that wait for Queue in all processes, and QuestionsRoom those that wait for Questions. With a zero none may wait
	Room, QuestionsRoom store.Room
	Log                 *slog.Logger
	Ended               func(*game.Attempt) // called after every attempt that was played; may be nil

	stopping sync.Mutex
	stopped  map[string]bool // who has turned the kill switch on
	lastStop lastStop
	unkept   unkept
}

// Refusal is an error that the player who asked may read.
type Refusal struct {
	Reason Reason
	Text   string
}

func (r *Refusal) Error() string { return "arena: " + r.Text }

// Reason is the class of a refusal.
type Reason int

const (
	NotFound Reason = iota // nothing has this name, or it belongs to another player
	Bad                    // the input can't be played
	Closed                 // the host has closed the lane, or the whole game
	Busy                   // the player can try again later
)

func refuse(why Reason, text string) error { return &Refusal{why, text} }

var (
	errNotFound = refuse(NotFound, "there is no such attempt, or it belongs to another player")
	errStopped  = refuse(Closed, "the host has stopped the game; come back later")
)

// NewPlayer makes a player at an address. Only this call returns the token.
func (ar *Arena) NewPlayer(ctx context.Context, address string) (store.Token, error) {
	if ar.Paused() {
		return "", errStopped
	}
	_, token, err := ar.Store.NewPlayer(ctx, address)
	return token, err
}

// Check refuses input that no player could play, before anything is spent on it.
func (ar *Arena) Check(target string, lane game.Lane, input string) error {
	switch {
	case ar.Game.Targets.Target(target) == nil:
		return refuse(NotFound, "there is no such target; /api/v1/challenge lists all targets")
	case !lane.Known():
		return refuse(NotFound, "there is no such lane; /api/v1/challenge lists all lanes")
	case ar.Game.Closed(lane) != "":
		return refuse(Closed, ar.Game.Closed(lane))
	case strings.TrimSpace(input) == "":
		return refuse(Bad, "the input is empty")
	case len(input) > game.MaxInput:
		return refuse(Bad, "the input is longer than 64 KiB")
	case ar.Paused():
		return errStopped
	}
	return nil
}

// Submit accepts an attempt of a player. It stores the attempt before it returns. The attempt is played in its turn.
func (ar *Arena) Submit(ctx context.Context, from queue.Sender, target string, lane game.Lane, input string) (*game.Attempt, error) {
	input = strings.ToValidUTF8(input, "\uFFFD")
	if err := ar.Check(target, lane, input); err != nil {
		return nil, err
	}
	key, copy, err := ar.Store.Key(ctx, from.Player, target, lane)
	if err != nil {
		return nil, ar.known(err)
	}
	a := &game.Attempt{Target: target, Lane: lane, Input: input}
	keep := func(waits bool) (string, error) {
		var room *store.Room
		if waits {
			room = ar.room(lane)
		}
		err := ar.Store.Add(ctx, from.Player, from.Address, a, room)
		return a.ID, err
	}
	played := *a // played is a copy, because Submit still reads *a below, perhaps while the attempt is played
	err = ar.line(lane).Add(from, keep, func(ctx context.Context) {
		played.ID, played.At, played.State = a.ID, a.At, game.Running
		ar.play(ctx, from, &played, game.Player{ID: from.Player, Copy: copy, Key: key})
	})
	if err != nil {
		return nil, ar.known(err)
	}
	out := *a
	return &out, nil
}

// play plays an attempt in its turn and stores the outcome.
func (ar *Arena) play(ctx context.Context, from queue.Sender, a *game.Attempt, by game.Player) {
	// If the game panics in an attempt, the attempt ends as interrupted, and the host continues.
	defer func() {
		if p := recover(); p != nil {
			ar.Log.Error("a panic in an attempt", "attempt", a.ID, "lane", a.Lane, "target", a.Target)
			a.State, a.Verdict = game.Interrupted, game.Verdict{Kind: "internal", Message: "internal error: the host failed; send the attempt again later"}
		}
		ar.finish(from.Player, a)
	}()
	if ctx.Err() != nil {
		a.State, a.Verdict = game.Interrupted, game.Verdict{Kind: "cancelled", Message: "the host stopped before this attempt's turn; send it again"}
		return
	}
	if err := ar.Store.Start(ctx, a.ID); err != nil {
		ar.Log.Error("store", "attempt", a.ID, "error", err)
	}
	if a.Lane == game.Model {
		var err error
		if by.Chat, err = ar.Store.Chat(ctx, from.Player, a.Target); err != nil {
			ar.Log.Error("store", "attempt", a.ID, "error", err)
		}
	}
	chat := ar.Game.Play(ctx, a, by)
	if a.Lane == game.Model {
		if err := ar.Store.SetChat(ctx, from.Player, from.Address, a.Target, chat); err != nil {
			ar.Log.Error("store", "attempt", a.ID, "error", err)
		}
	}
}

func (ar *Arena) finish(player string, a *game.Attempt) {
	ctx := context.Background()
	err := ar.Store.Finish(ctx, player, a)
	if err != nil { // the disk may have room again a moment later
		time.Sleep(50 * time.Millisecond)
		err = ar.Store.Finish(ctx, player, a)
	}
	if err != nil {
		later := !errors.Is(err, store.ErrNone) && ar.unkept.add(player, a)
		ar.Log.Error("an attempt was not kept", "attempt", a.ID, "later", later, "error", err)
	}
	level, what := slog.LevelInfo, "attempt"
	if a.Leaked && a.Lane.Guarded() {
		level, what = slog.LevelError, "a guarded lane gave its key"
	}
	ar.Log.Log(ctx, level, what, "attempt", a.ID, "player", store.Alias(player), "target", a.Target, "lane", a.Lane, "kind", a.Verdict.Kind,
		"leaked", a.Leaked, "rows", a.Rows, "queries", len(a.Queries)+a.More, "millis", a.Millis, "bytes", len(a.Input))
	if ar.Ended != nil {
		ar.Ended(a)
	}
}

// known turns errors of other packages into errors that the player may read, or returns them unchanged.
func (ar *Arena) known(err error) error {
	switch {
	case errors.Is(err, store.ErrNone):
		return errNotFound
	case errors.Is(err, store.ErrYours):
		return refuse(Busy, "too many attempts of yours, or of your address, wait; send more when they have ended")
	case errors.Is(err, store.ErrFull):
		return refuse(Busy, "too many attempts wait; try again later")
	case errors.Is(err, queue.ErrPaused), errors.Is(err, queue.ErrClosed), errors.Is(err, store.ErrStopped):
		return errStopped
	}
	return err
}

// View is an attempt as one reader may see it.
type View struct {
	*game.Attempt
	Position int  `json:"position,omitempty"` // the place in the queue, from 1
	Mine     bool `json:"mine"`
}

// Attempt returns an attempt for its player. Other players see it, without keys, only if it was shared or is a win on a guarded lane. Any
// other attempt is NotFound, so that an answer does not reveal which ids exist.
func (ar *Arena) Attempt(ctx context.Context, player, id string) (*View, error) {
	k, err := ar.Store.Attempt(ctx, id)
	if err != nil {
		return nil, ar.known(err)
	}
	k = ar.unkept.instead(k)
	if player != "" && k.Player == player {
		return ar.mine(ctx, k)
	}
	if !k.Shared {
		public, err := ar.Store.InGuardedWin(ctx, id)
		if err != nil {
			return nil, err
		}
		if !public {
			return nil, errNotFound
		}
	}
	return &View{Attempt: k.Redacted()}, nil
}

// mine returns an attempt as its player sees it.
func (ar *Arena) mine(ctx context.Context, k store.Kept) (v *View, err error) {
	v = &View{Attempt: k.Attempt, Mine: true}
	known := k.State.Over()
	if !known {
		v.Position, known = ar.line(k.Lane).Position(k.ID)
	}
	if !known { // the attempt waits in another process
		v.Position, err = ar.Store.Position(ctx, k.ID)
	}
	return v, err
}

// askEvery is how often Wait asks the store about an attempt of another process.
const askEvery = 200 * time.Millisecond

// Wait waits until an attempt is over, and then returns it like Attempt. If the context until ends first, or this process accepts no more
// attempts, Wait returns the attempt as it then is.
func (ar *Arena) Wait(ctx, until context.Context, player, id string) (*View, error) {
	v, err := ar.Attempt(ctx, player, id)
	if err != nil || !v.Mine || v.State.Over() {
		return v, err
	}
	ar.line(v.Lane).Wait(until, id)
	for {
		v, err = ar.Attempt(ctx, player, id)
		if err != nil || v.State.Over() || until.Err() != nil || ar.Paused() {
			return v, err
		}
		select {
		case <-time.After(askEvery):
		case <-until.Done():
		}
	}
}

// Attempts returns a player's attempts, the latest first. The argument before is that of store.Attempts.
func (ar *Arena) Attempts(ctx context.Context, player, target, before string, most int) ([]*View, error) {
	ks, err := ar.Store.Attempts(ctx, player, target, before, most)
	if err != nil {
		return nil, err
	}
	out := []*View{}
	for _, k := range ks {
		k = ar.unkept.instead(k)
		v, err := ar.mine(ctx, k)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// Share shows a player's attempt to everybody who has its id, or hides it again.
func (ar *Arena) Share(ctx context.Context, player, id string, on bool) error {
	return ar.known(ar.Store.Share(ctx, player, id, on))
}

// ClaimAttempt claims the key that a player's attempt has shown. The host knows the key, so the player need not copy it. If share is set, the
// attempt is also shown to everybody.
func (ar *Arena) ClaimAttempt(ctx context.Context, player, id, name string, share bool) (*store.Win, error) {
	v, err := ar.Attempt(ctx, player, id)
	if err != nil {
		return nil, err
	}
	if !v.Mine {
		return nil, errNotFound
	}
	if !v.Leaked {
		return nil, refuse(Bad, "the key is not in the output of this attempt, so there is nothing to claim")
	}
	key, _, err := ar.Store.Key(ctx, player, v.Target, v.Lane)
	if err != nil {
		return nil, ar.known(err)
	}
	w, again, err := ar.Claim(ctx, player, string(key), name)
	if err != nil || w == nil || again {
		return w, err
	}
	if !w.Guarded { // a hole is shown with the first attempt that leaked
		if err := ar.Store.ShowWith(ctx, player, id); err != nil {
			return nil, ar.known(err)
		}
		w.Attempt = id
	}
	if share {
		err = ar.Share(ctx, player, id, true)
	}
	return w, err
}

// Claim checks whether the text is a key of the player, and stores the win. It returns nil for any other text. The result again is that of store.Claim.
func (ar *Arena) Claim(ctx context.Context, player, text, name string) (w *store.Win, again bool, err error) {
	name, ok := Name(name)
	if !ok {
		return nil, false, refuse(Bad, "want a name of at most 40 characters, none of them invisible, with at most 4 accents on a letter")
	}
	w, again, err = ar.Store.Claim(ctx, player, strings.TrimSpace(text), name)
	if errors.Is(err, store.ErrNone) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if !again {
		level := slog.LevelInfo
		if w.Guarded {
			level = slog.LevelError
		}
		ar.Log.Log(ctx, level, "claim", "target", w.Target, "lane", w.Lane, "attempt", w.Attempt, "tries", w.Tries)
	}
	return w, again, nil
}
