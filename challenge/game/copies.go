package game

import (
	"container/list"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exosql"
)

// Copies are players' own databases, in a cache of bounded size. A copy depends only on its target and its key. So a dropped copy is made
// again when a player needs it, and no player notices.
type Copies struct {
	place  place
	key    []byte  // the key of CopyOptions.CursorKey
	tries  *folder // the folder for databases of one attempt, or nil
	most   int     // the most databases that are open
	mu     sync.Mutex
	byName map[string]*copied
	used   *list.List // the open copies as *copied, the most recently used first
	made   int
	closed bool
	users  sync.WaitGroup

	ctx    context.Context // the context of all work on the place; Close ends it
	cancel context.CancelFunc
}

// place is where copies are kept: a folder of SQLite files, or a PostgreSQL database.
type place interface {
	engine() string
	// open makes a copy and opens it. No two copies have the same name.
	// cursors is the key of the copy's cursors; nil means a random one.
	open(ctx context.Context, name string, t *Target, key Key, cursors []byte) (*exosql.DB, error)
	drop(ctx context.Context, name string) error
	// gone reports whether a copy is gone, or may be.
	gone(ctx context.Context, name string) bool
	// try makes a copy, reads it as programs do, and drops it.
	try(ctx context.Context, name string, t *Target) (super bool, err error)
	close() error
}

type copied struct {
	name  string
	real  string // the real name of the file or schema, so that a late drop does not hit another copy
	elem  *list.Element
	ready chan struct{} // closed when db or err is set
	db    *exosql.DB
	err   error
	users int
	gone  bool // the copy has left the cache, so its last user drops it
}

// copyPlanBytes bounds the plans of one copy, because there are many copies. A copy's plans and the statements of its connection use at
// most three times this size.
const copyPlanBytes = 512 << 10

// CopyOptions are the options of OpenCopies.
type CopyOptions struct {
	// URL is postgres://… with the right to make schemas; "" uses SQLite files in Dir.
	URL string
	// Reader is the URL of a role in the same database that may only read. Programs run as this role; "" means the role of URL.
	Reader string
	Dir    string // a folder for nothing else, for SQLite and for targets that programs may change
	Most   int    // the number of copies that are kept; default 64
	// CursorKey is a secret from which the keys of cursors are made, one for each copy. A cursor works in every process that has the same secret,
	// also after its copy was made again. nil means random keys.
	CursorKey []byte
}

// OpenCopies makes the place for copies, and removes the copies of dead processes. The folder belongs to this process until Close. Several
// processes may use the database of URL.
func OpenCopies(ctx context.Context, o CopyOptions) (*Copies, error) {
	c := &Copies{most: o.Most, key: o.CursorKey, byName: map[string]*copied{}, used: list.New()}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	if c.most <= 0 {
		c.most = 64
	}
	var err error
	if o.URL == "" || o.Dir != "" {
		c.tries, err = newFolder(o.Dir)
	}
	switch {
	case err != nil:
	case o.URL == "":
		c.place = c.tries
	default:
		c.place, err = newSchemas(ctx, o.URL, o.Reader)
	}
	if err != nil {
		c.cancel()
		return nil, err
	}
	return c, nil
}

// cursorKey returns the key of the cursors of a copy, or nil for a random one.
func (c *Copies) cursorKey(name string) []byte {
	if c.key == nil {
		return nil
	}
	m := hmac.New(sha256.New, c.key)
	m.Write([]byte(name))
	return m.Sum(nil)
}

// Try makes a copy of a target, reads it as programs do, and drops it. So the host learns at the start about a faulty place, not a
// player later. The result super reports that programs would run as a superuser, for whom the database has no walls.
func (c *Copies) Try(ctx context.Context, t *Target) (super bool, err error) {
	return c.place.try(ctx, "try", t)
}

// Engine returns the kind of database: sqlite or postgres.
func (c *Copies) Engine() string { return c.place.engine() }

var errCopiesClosed = errors.New("game: the copies are closed, since the host is stopping")

// copyName matches the names of copies. They are random letters and digits, because each becomes the name of a file or a schema.
var copyName = regexp.MustCompile(`^[a-z0-9]{10,40}$`)

// Use opens the copy with this name. A name belongs to one player, target and lane, and always comes with the same key. The caller must call
// release when it no longer needs the copy.
func (c *Copies) Use(ctx context.Context, name string, t *Target, key Key) (db *exosql.DB, release func(), err error) {
	if !copyName.MatchString(name) {
		return nil, nil, fmt.Errorf("game: %q can't be the name of a copy: want 10 to 40 letters from a to z and digits", name)
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, nil, errCopiesClosed
	}
	c.users.Add(1)
	e := c.byName[name]
	if e == nil {
		c.made++
		e = &copied{name: name, real: fmt.Sprintf("%s_%d", name, c.made), ready: make(chan struct{})}
		e.elem = c.used.PushFront(e)
		c.byName[name] = e
		go func() { // the copy is opened without ctx, because other callers that wait for it must not fail with this caller
			defer close(e.ready)
			ctx, cancel := context.WithTimeout(c.ctx, openTime)
			defer cancel()
			e.db, e.err = c.place.open(ctx, e.real, t, key, c.cursorKey(e.name))
		}()
	}
	c.used.MoveToFront(e.elem)
	e.users++
	drop := c.evict()
	c.mu.Unlock()
	c.drop(drop)
	release = sync.OnceFunc(func() { c.leave(e) })
	select {
	case <-e.ready:
	case <-ctx.Done():
		release()
		return nil, nil, ctx.Err()
	}
	if e.err != nil {
		c.mu.Lock()
		c.forget(e)
		c.mu.Unlock()
		release()
		return nil, nil, e.err
	}
	return e.db, release, nil
}

// forget takes a copy out of the cache. The copy's last user drops it. The caller holds c.mu.
func (c *Copies) forget(e *copied) {
	if !e.gone {
		e.gone = true
		delete(c.byName, e.name)
		c.used.Remove(e.elem)
	}
}

// evict takes the copies that were used longest ago and have no users out of a cache that is too large, and returns them. The caller holds c.mu.
func (c *Copies) evict() (drop []*copied) {
	for e := c.used.Back(); e != nil && c.used.Len() > c.most; {
		x, before := e.Value.(*copied), e.Prev()
		if x.users == 0 { // a copy in use stays for now, so there may be more than most
			c.forget(x)
			drop = append(drop, x)
		}
		e = before
	}
	return drop
}

func (c *Copies) leave(e *copied) {
	c.mu.Lock()
	e.users--
	last := e.users == 0 && e.gone
	drop := c.evict()
	c.mu.Unlock()
	if last {
		drop = append(drop, e)
	}
	c.drop(drop)
	c.users.Done()
}

// These bound work on a place, because it may hang, or another process may hold a lock on a copy.
const (
	openTime = 30 * time.Second
	dropTime = 10 * time.Second
)

func (c *Copies) drop(es []*copied) {
	for _, e := range es {
		<-e.ready
		if e.db != nil {
			e.db.Close()
		}
		ctx, cancel := context.WithTimeout(c.ctx, dropTime)
		_ = c.place.drop(ctx, e.real) // the next start removes what remains
		cancel()
	}
}

// Len returns the number of copies.
func (c *Copies) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used.Len()
}

// Forget drops the copy of a name when its last user has released it.
func (c *Copies) Forget(name string) {
	c.mu.Lock()
	e := c.byName[name]
	var drop []*copied
	if e != nil {
		c.forget(e)
		if e.users == 0 {
			drop = append(drop, e)
		}
	}
	c.mu.Unlock()
	c.drop(drop)
}

// Doubt looks whether a copy that has failed in a way that no program can cause is lost. A lost copy is made again for the next user.
func (c *Copies) Doubt(ctx context.Context, name string) {
	c.mu.Lock()
	e := c.byName[name]
	c.mu.Unlock()
	if e == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, dropTime)
	defer cancel()
	if !c.place.gone(ctx, e.real) {
		return
	}
	c.mu.Lock()
	c.forget(e)
	last := e.users == 0
	c.mu.Unlock()
	if last {
		c.drop([]*copied{e})
	}
}

// Close waits, while ctx lasts, for the users of copies, and drops all copies. The next start removes copies that remain.
func (c *Copies) Close(ctx context.Context) error {
	stop := context.AfterFunc(ctx, c.cancel)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- c.end() }()
	select {
	case err := <-done:
		c.cancel()
		return err
	case <-ctx.Done():
	}
	select { // the end of ctx cancels the work, so wait a moment for it
	case err := <-done:
		return err
	case <-time.After(time.Second):
		return fmt.Errorf("game: attempts still use copies: %w", ctx.Err())
	}
}

func (c *Copies) end() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.users.Wait()
	c.mu.Lock()
	var drop []*copied
	for _, e := range c.byName {
		c.forget(e)
		drop = append(drop, e)
	}
	c.mu.Unlock()
	c.drop(drop)
	return c.place.close()
}
