package content

import (
	"fmt"
	"sync"
)

// Memory is a Store in memory. The zero value is ready to use.
type Memory struct {
	mu   sync.RWMutex
	data []byte
}

// Put implements Store.
func (m *Memory) Put(b []byte) (Ref, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	off := int64(len(m.data))
	m.data = append(m.data, b...)
	return Ref{Off: off, Len: int64(len(b))}, nil
}

// Get implements Store.
func (m *Memory) Get(r Ref, buf []byte) ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if r.Off < 0 || r.Len < 0 || r.Off+r.Len > int64(len(m.data)) {
		return nil, fmt.Errorf("content at %d of length %d is beyond the store's %d bytes", r.Off, r.Len, len(m.data))
	}
	return append(buf[:0], m.data[r.Off:r.Off+r.Len]...), nil
}
