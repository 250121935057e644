package server

import "sync"

// runMemory keeps the directories of the runs that this server has started, for
// those that the index could not take. The zero value is empty.
type runMemory struct {
	mu   sync.Mutex
	dirs map[string]string
}

func (m *runMemory) add(runID, dir string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dirs == nil {
		m.dirs = map[string]string{}
	}
	m.dirs[runID] = dir
}

func (m *runMemory) dir(runID string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, known := m.dirs[runID]
	return dir, known
}
