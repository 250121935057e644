package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// kept is what a file was before it was changed, and what it was then.
type kept struct {
	Path    string `json:"path"`
	Existed bool   `json:"existed"`
	Before  []byte `json:"before,omitempty"`
	After   string `json:"after_sha256"` // of what setup has left
	file    string
}

// keep remembers a file before it is changed. A file that holds an earlier
// change of ours alone keeps what it was before that.
func (s *session) keep(path string) (*kept, error) {
	k := &kept{Path: path, file: s.keptFile(path)}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		k.Existed, k.Before = true, text
	}
	if earlier := s.kept(path); earlier != nil && earlier.After == digest(text) {
		k.Existed, k.Before = earlier.Existed, earlier.Before
	}
	return k, nil
}

// keptFile is where what a file was is kept.
func (s *session) keptFile(path string) string {
	return filepath.Join(s.State, digest([]byte(path))[:16]+".json")
}

func (s *session) kept(path string) *kept {
	text, err := os.ReadFile(s.keptFile(path))
	if err != nil {
		return nil
	}
	var k kept
	if json.Unmarshal(text, &k) != nil || k.Path != path {
		return nil
	}
	k.file = s.keptFile(path)
	return &k
}

// seal writes down what was kept, once the change is done.
func (k *kept) seal() error {
	text, err := os.ReadFile(k.Path)
	if err != nil {
		return err
	}
	k.After = digest(text)
	encoded, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(k.file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(k.file, encoded, 0o600)
}

// restore gives back every byte of a file that nobody has changed since, and
// reports whether it did.
func (s *session) restore(path string) (bool, error) {
	k := s.kept(path)
	if k == nil {
		return false, nil
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if digest(text) != k.After {
		return false, os.Remove(k.file) // changed since: what it was is no longer of use
	}
	if k.Existed {
		err = writeFile(path, k.Before)
	} else {
		err = os.Remove(path)
	}
	if err != nil {
		return false, err
	}
	s.did("gave %s back as it was", path)
	return true, os.Remove(k.file)
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// writeFile replaces a file as a whole, through a link if it is one, and keeps
// its mode.
func writeFile(path string, text []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Chmod(mode), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(temp.Name()))
	}
	return nil
}
