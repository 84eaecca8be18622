// Package lru keeps what was used last.
package lru

import (
	"container/list"
	"iter"
	"sync"
)

// Cache keeps a bounded number of values under texts, and drops the one that was not
// asked for the longest. Several goroutines may use it.
type Cache[V any] struct {
	mu    sync.Mutex
	max   int
	byKey map[string]*list.Element
	used  list.List // of *entry[V], the latest first
}

type entry[V any] struct {
	key   string
	value V
}

// New makes a cache of at most max values.
func New[V any](max int) *Cache[V] {
	return &Cache[V]{max: max, byKey: map[string]*list.Element{}}
}

// Get returns the value under key. The key is bytes, since many are made only to
// look: it is not kept, and a text costs no copy either.
func (c *Cache[V]) Get(key []byte) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[string(key)]
	if !ok {
		return v, false
	}
	c.used.MoveToFront(e)
	return e.Value.(*entry[V]).value, true
}

// Add keeps v under key, unless there is a value: whoever made the same one meanwhile
// was first.
func (c *Cache[V]) Add(key string, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey[key] != nil {
		return
	}
	c.byKey[key] = c.used.PushFront(&entry[V]{key, v})
	if c.used.Len() > c.max {
		last := c.used.Remove(c.used.Back()).(*entry[V])
		delete(c.byKey, last.key)
	}
}

// All are the keys and values, the latest first. The cache waits until the loop over
// them has ended.
func (c *Cache[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for e := c.used.Front(); e != nil; e = e.Next() {
			if x := e.Value.(*entry[V]); !yield(x.key, x.value) {
				return
			}
		}
	}
}
