package workspace

import (
	"hash/maphash"
	"iter"
	"maps"
	"slices"
)

// table is a sorted map of paths made for many paths and few changes: a dense sorted
// base, shared between copies and then immutable, and the changes over it. A copy costs
// the changes only; walking in order costs no sorting of the whole.
type table[V any] struct {
	base  *base[V]
	owned bool // no copy shares base, so it may change
	over  map[string]change[V]
	n     int
}

type change[V any] struct {
	value V
	gone  bool
}

// overMin is how many changes a table takes before they may be merged into its base.
const overMin = 1024

func newTable[V any](room int) table[V] {
	return table[V]{base: newBase[V](room), owned: true}
}

// clone returns a copy; from then on neither changes the base.
func (t *table[V]) clone() table[V] {
	t.owned = false
	return table[V]{base: t.base, over: maps.Clone(t.over), n: t.n}
}

func (t *table[V]) len() int { return t.n }

func (t *table[V]) get(key string) (V, bool) {
	if len(t.over) > 0 {
		if c, ok := t.over[key]; ok {
			return c.value, !c.gone
		}
	}
	if i := t.base.find(key); i >= 0 {
		return t.base.vals[i], true
	}
	var none V
	return none, false
}

func (t *table[V]) set(key string, value V) {
	if t.owned && len(t.over) == 0 {
		if i := t.base.find(key); i >= 0 {
			t.base.vals[i] = value
			return
		}
		if t.base.last() < key || len(t.base.keys) == 0 {
			t.base.append(key, value)
			t.n++
			return
		}
	}
	if _, ok := t.get(key); !ok {
		t.n++
	}
	t.change(key, change[V]{value: value})
}

func (t *table[V]) delete(key string) {
	if _, ok := t.get(key); !ok {
		return
	}
	t.n--
	if t.base.find(key) < 0 {
		delete(t.over, key)
		return
	}
	t.change(key, change[V]{gone: true})
}

func (t *table[V]) change(key string, c change[V]) {
	if t.over == nil {
		t.over = map[string]change[V]{}
	}
	t.over[key] = c
	if len(t.over) <= overMin+len(t.base.keys)/4 {
		return
	}
	merged := newBase[V](t.n)
	for k, v := range t.all() {
		merged.append(k, v)
	}
	t.base, t.owned, t.over = merged, true, nil
}

// all walks the table in the order of its keys. Changes made meanwhile may or may not
// be seen.
func (t *table[V]) all() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		base, changed := t.base, slices.Sorted(maps.Keys(t.over))
		for i, key := range base.keys {
			for len(changed) > 0 && changed[0] < key {
				if c := t.over[changed[0]]; !c.gone && !yield(changed[0], c.value) {
					return
				}
				changed = changed[1:]
			}
			value := base.vals[i]
			if len(changed) > 0 && changed[0] == key {
				changed = changed[1:]
				c := t.over[key]
				if c.gone {
					continue
				}
				value = c.value
			}
			if !yield(key, value) {
				return
			}
		}
		for _, key := range changed {
			if c := t.over[key]; !c.gone && !yield(key, c.value) {
				return
			}
		}
	}
}

// keys returns the keys in order.
func (t *table[V]) keys() []string {
	out := make([]string, 0, t.n)
	for k := range t.all() {
		out = append(out, k)
	}
	return out
}

// base holds sorted keys with their values, and an open-addressed hash index over them.
type base[V any] struct {
	keys  []string
	vals  []V
	slots []uint32 // position in keys plus one; a power of two of them, at most ¾ full
	seed  maphash.Seed
}

func newBase[V any](room int) *base[V] {
	b := &base[V]{keys: make([]string, 0, room), vals: make([]V, 0, room), seed: maphash.MakeSeed()}
	b.reindex(room)
	return b
}

func (b *base[V]) last() string {
	if len(b.keys) == 0 {
		return ""
	}
	return b.keys[len(b.keys)-1]
}

// append adds a key that is greater than all others.
func (b *base[V]) append(key string, value V) {
	b.keys = append(b.keys, key)
	b.vals = append(b.vals, value)
	if len(b.keys)*4 > len(b.slots)*3 {
		b.reindex(len(b.keys) * 2)
		return
	}
	b.insert(len(b.keys) - 1)
}

func (b *base[V]) find(key string) int {
	mask := uint64(len(b.slots) - 1)
	for h := maphash.String(b.seed, key) & mask; b.slots[h] != 0; h = (h + 1) & mask {
		if i := int(b.slots[h]) - 1; b.keys[i] == key {
			return i
		}
	}
	return -1
}

func (b *base[V]) insert(i int) {
	mask := uint64(len(b.slots) - 1)
	h := maphash.String(b.seed, b.keys[i]) & mask
	for b.slots[h] != 0 {
		h = (h + 1) & mask
	}
	b.slots[h] = uint32(i) + 1
}

// reindex makes an index with room for that many keys.
func (b *base[V]) reindex(room int) {
	size := 8
	for size*3 < room*4 {
		size *= 2
	}
	b.slots = make([]uint32, size)
	for i := range b.keys {
		b.insert(i)
	}
}
