// Package lru is a least-recently-used cache with a bound in bytes.
package lru

import (
	"container/list"
	"iter"
	"sync"
)

// Kept is a value that a Cache can keep. Keep returns a copy, which shares no memory with a program or its message, and the copy's size in
// bytes. Without the copy, a name of five bytes, cut out of a message of 8 MB, would keep the 8 MB in memory.
type Kept[V any] interface {
	Keep() (copy V, bytes int)
}

// Cache keeps values under texts. If values and keys exceed its bound in bytes, it drops the least recently used values. Several goroutines
// may use it.
type Cache[V Kept[V]] struct {
	mu  sync.Mutex
	all Set[string, V]
}

// New makes a cache of at most this many bytes.
func New[V Kept[V]](bytes int) *Cache[V] {
	return &Cache[V]{all: Set[string, V]{Bytes: bytes}}
}

// Get returns the value under key. The key is a slice of bytes, because many keys are made only for a lookup: the lookup does not copy it.
func (c *Cache[V]) Get(key []byte) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.all.byKey[string(key)]
	if !ok {
		return v, false
	}
	return c.all.touch(e), true
}

// Add keeps a copy of v under a copy of key, and returns the copy. If another goroutine has already added a value, Add returns that value.
// Add does not keep a value that would displace many others (see share).
func (c *Cache[V]) Add(key []byte, v V) V {
	v, size := v.Keep()
	size += len(key) + overhead
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.all.byKey[string(key)]; e != nil {
		return c.all.touch(e)
	}
	if c.all.Fits(size) {
		c.all.Add(string(key), v, size)
	}
	return v
}

// overhead is the memory that the map and the list use for one value.
const overhead = 200

// Bytes returns the size of all values and their keys.
func (c *Cache[V]) Bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all.bytes
}

// All yields the keys and values, the most recent first. The cache is locked until the loop has ended.
func (c *Cache[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all.All()(yield)
	}
}

// Set is a Cache without the lock. Its values may also be kept uncopied and released by a call, like prepared statements. Only one goroutine
// at a time may use it.
type Set[K comparable, V any] struct {
	Bytes int     // the bound for all values; zero keeps nothing
	Drop  func(V) // Drop, unless it is nil, is called with each dropped value

	bytes int
	byKey map[K]*list.Element
	used  list.List // entries of type *entry[K, V], the most recent first
}

type entry[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// share limits one value to the bound divided by share. A larger value would displace many others, so a program made to be large could empty
// the cache.
const share = 8

// Fits reports whether a value of this size may be kept.
func (s *Set[K, V]) Fits(size int) bool { return size <= s.Bytes/share }

// Get returns the value under key.
func (s *Set[K, V]) Get(key K) (v V, ok bool) {
	e, ok := s.byKey[key]
	if !ok {
		return v, false
	}
	return s.touch(e), true
}

func (s *Set[K, V]) touch(e *list.Element) V {
	s.used.MoveToFront(e)
	return e.Value.(*entry[K, V]).value
}

// Add keeps v, which must fit, under a key that has no value.
func (s *Set[K, V]) Add(key K, v V, size int) {
	if s.byKey == nil {
		s.byKey = map[K]*list.Element{}
	}
	s.byKey[key] = s.used.PushFront(&entry[K, V]{key, v, size})
	s.bytes += size
	for s.bytes > s.Bytes {
		s.Remove(s.used.Back().Value.(*entry[K, V]).key)
	}
}

// Remove drops the value under key, if there is one.
func (s *Set[K, V]) Remove(key K) {
	e, ok := s.byKey[key]
	if !ok {
		return
	}
	delete(s.byKey, key)
	x := s.used.Remove(e).(*entry[K, V])
	s.bytes -= x.size
	if s.Drop != nil {
		s.Drop(x.value)
	}
}

// Len returns the number of values.
func (s *Set[K, V]) Len() int { return len(s.byKey) }

// Size returns the size of all values, in bytes.
func (s *Set[K, V]) Size() int { return s.bytes }

// All yields the keys and values, the most recent first.
func (s *Set[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for e := s.used.Front(); e != nil; e = e.Next() {
			if x := e.Value.(*entry[K, V]); !yield(x.key, x.value) {
				return
			}
		}
	}
}
