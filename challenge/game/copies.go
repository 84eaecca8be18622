package game

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exosql"
)

// Copies are players' own databases. They are a cache of bounded size: a copy is
// made of its target and its key alone, so one that was dropped is made again when
// it is needed, and nobody sees that it was gone.
type Copies struct {
	place  place
	tries  *folder // for databases of one attempt; nil: there is no folder
	most   int     // databases that are open
	mu     sync.Mutex
	byName map[string]*copied
	used   *list.List // of *copied, the latest first
	made   int
	closed bool
	users  sync.WaitGroup

	ctx    context.Context // of everything that is done to the place; Close ends it
	cancel context.CancelFunc
}

// place is where copies lie.
type place interface {
	engine() string
	// open makes a copy and opens it. No two have the same name.
	open(ctx context.Context, name string, t *Target, key Key) (*exosql.DB, error)
	drop(ctx context.Context, name string) error
	// gone reports that a copy is gone, or may be.
	gone(ctx context.Context, name string) bool
	// try makes a copy, reads it as programs do, and drops it.
	try(ctx context.Context, name string, t *Target) (super bool, err error)
	close() error
}

type copied struct {
	name  string
	real  string // of the file or the schema: one that is dropped late is not another's
	elem  *list.Element
	ready chan struct{} // closed when db or err is there
	db    *exosql.DB
	err   error
	users int
	gone  bool // to be dropped by its last user
}

// copyPlanBytes bounds the plans of one copy, of which there are many: with the statements
// of its connection they have at most three times as much.
const copyPlanBytes = 512 << 10

// CopyOptions are for OpenCopies.
type CopyOptions struct {
	// URL is postgres://… with the right to make schemas; "" puts SQLite files in Dir.
	URL string
	// Reader is the URL of a role of the same database that may only read, which
	// programs are run as; "": URL's own.
	Reader string
	Dir    string // a folder that nothing else uses: for SQLite, and for targets that programs may write to
	Most   int    // copies that are kept; default 64
}

// OpenCopies makes the place for copies, which is this process's alone until Close,
// and removes those that an earlier process left.
func OpenCopies(ctx context.Context, o CopyOptions) (*Copies, error) {
	c := &Copies{most: o.Most, byName: map[string]*copied{}, used: list.New()}
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

// Try makes a copy of a target, reads it as programs do, and drops it: what is wrong
// with the place is told the host at the start, and not the players later. super says
// that programs would be run as a superuser, for whom the database has no walls.
func (c *Copies) Try(ctx context.Context, t *Target) (super bool, err error) {
	return c.place.try(ctx, "try", t)
}

// Engine is the kind of database: sqlite or postgres.
func (c *Copies) Engine() string { return c.place.engine() }

var errCopiesClosed = errors.New("game: the copies are closed")

// A name is random and ours: it becomes a file's and a schema's.
var copyName = regexp.MustCompile(`^[a-z0-9]{10,40}$`)

// Use opens the copy of a name, which stands for one player, target and lane and is
// always given with the same key. release must be called when it is not needed any more.
func (c *Copies) Use(ctx context.Context, name string, t *Target, key Key) (db *exosql.DB, release func(), err error) {
	if !copyName.MatchString(name) {
		return nil, nil, fmt.Errorf("game: %q can't be the name of a copy", name)
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
		go func() { // not with ctx: others that wait for it must not fail with this one
			defer close(e.ready)
			ctx, cancel := context.WithTimeout(c.ctx, openTime)
			defer cancel()
			e.db, e.err = c.place.open(ctx, e.real, t, key)
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

// forget takes a copy out of the cache; its last user drops it. c.mu is held.
func (c *Copies) forget(e *copied) {
	if !e.gone {
		e.gone = true
		delete(c.byName, e.name)
		c.used.Remove(e.elem)
	}
}

// evict takes the copies out that were used longest ago and gives those that
// nobody uses. c.mu is held.
func (c *Copies) evict() (drop []*copied) {
	for e := c.used.Back(); e != nil && c.used.Len() > c.most; {
		x, before := e.Value.(*copied), e.Prev()
		if x.users == 0 { // one in use is more than most for a moment
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

// These bound what is asked of a place: it may hang, or another process may hold a lock on a copy.
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
		_ = c.place.drop(ctx, e.real) // what stays is removed at the next start
		cancel()
	}
}

// Len is how many copies there are.
func (c *Copies) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used.Len()
}

// Forget drops the copy of a name, when its last user is done.
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

// Doubt is told that the copy of a name has failed in a way that no program can cause.
// One that is gone is made again for the next who asks for it.
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

// Close waits for the users of copies and drops them all, while ctx lasts: copies that
// are left then are removed at the next start.
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
	select { // what is under way hears that it is to stop
	case err := <-done:
		return err
	case <-time.After(time.Second):
		return fmt.Errorf("game: copies are in use still: %w", ctx.Err())
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
