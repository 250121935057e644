package rundir

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// ErrNoBundle says that a file is not a zip at all.
var ErrNoBundle = errors.New("not a zip")

// BundleError is what is wrong with a zip before anything in it is looked at.
type BundleError struct {
	Entry string // name in the zip, cleaned; "" for the zip as a whole
	Fault string
}

// Error implements error.
func (e *BundleError) Error() string {
	if e.Entry == "" {
		return e.Fault
	}
	return fmt.Sprintf("%s: %s", e.Entry, e.Fault)
}

// bundleLimits bound what is read of a zip, in bytes but for entries.
type bundleLimits struct {
	zip, directory int64
	entries        int
	file, total    int64
	ratio          int64 // of total to the zip; counts above 64 MiB
}

func standardLimits() bundleLimits {
	return bundleLimits{zip: 1 << 30, directory: 2 << 20, entries: 5000, file: 1 << 30, total: 4 << 30, ratio: 100}
}

// Unpacked is a bundle on disk.
type Unpacked struct {
	Manifest *Manifest     // nil: the zip has none, or one that can't be read
	Fault    string        // what is wrong with the manifest; "" for nothing
	Files    []BundledFile // what the zip really holds, but for the manifest
}

// Unpack writes the files of a bundle below dir, which must be empty. The zip
// may come from anybody: only plain files with names of a bundle's form are
// written, and no more of them than limits allow. The error is a
// [*BundleError] for a zip that breaks them, or [ErrNoBundle].
func Unpack(path, dir string) (*Unpacked, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait for its writer
	if err != nil {
		return nil, fmt.Errorf("read the bundle: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is %w", path, ErrNoBundle)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the bundle: %w", err)
	}
	defer file.Close()
	unpacked, err := unpack(file, info.Size(), standardLimits(), func(name string) (io.WriteCloser, error) {
		place := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			return nil, err
		}
		return os.OpenFile(place, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	})
	if errors.Is(err, ErrNoBundle) {
		return nil, fmt.Errorf("%q is %w", path, err)
	}
	return unpacked, err
}

// sink opens the place of one file.
type sink func(name string) (io.WriteCloser, error)

func unpack(from io.ReaderAt, size int64, limits bundleLimits, to sink) (*Unpacked, error) {
	if err := checkDirectory(from, size, limits); err != nil {
		return nil, err
	}
	packed, err := zip.NewReader(from, size)
	if err != nil {
		return nil, &BundleError{"", "the zip is damaged: " + bench.Clean(err.Error(), 200)}
	}
	if len(packed.File) > limits.entries {
		return nil, &BundleError{"", fmt.Sprintf("it has %d entries: allowed is at most %d", len(packed.File), limits.entries)}
	}
	u := unpacking{limits: limits, left: limits.total, to: to, seen: map[string]bool{}}
	u.left = min(u.left, max(64<<20, size*limits.ratio))
	for _, f := range packed.File {
		if err := u.entry(f); err != nil {
			return nil, err
		}
	}
	return &u.unpacked, u.readManifest()
}

// checkDirectory looks at the end of a zip, so that a table of contents
// without measure is refused before it is read.
func checkDirectory(from io.ReaderAt, size int64, limits bundleLimits) error {
	const length, longestComment = 22, 1<<16 - 1
	if size > limits.zip {
		return &BundleError{"", fmt.Sprintf("it has %d bytes: allowed are at most %d", size, limits.zip)}
	}
	tail := make([]byte, min(size, length+longestComment))
	if _, err := from.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the bundle: %w", err)
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < length {
		return ErrNoBundle
	}
	end := tail[at:]
	directory, offset := int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	comment := int(binary.LittleEndian.Uint16(end[20:]))
	switch {
	case comment != len(end)-length, offset+directory != size-int64(len(end)):
		return &BundleError{"", "there is more in the file than the zip"}
	case directory > limits.directory:
		return &BundleError{"", fmt.Sprintf("its table of contents has %d bytes: allowed are at most %d", directory, limits.directory)}
	}
	return nil
}

// unpacking is the work on one zip.
type unpacking struct {
	limits   bundleLimits
	left     int64 // bytes that may still be unpacked
	to       sink
	seen     map[string]bool // names, in lower case
	manifest []byte
	unpacked Unpacked
}

// entry checks and writes one entry.
func (u *unpacking) entry(f *zip.File) error {
	refuse := func(fault string) error { return &BundleError{bench.Clean(f.Name, 120), fault} }
	if fault := entryFault(f); fault != "" {
		return refuse(fault)
	}
	if u.seen[strings.ToLower(f.Name)] {
		return refuse("its name occurs twice")
	}
	u.seen[strings.ToLower(f.Name)] = true
	if strings.HasSuffix(f.Name, "/") {
		return nil
	}
	if limit := min(u.left, u.limits.file); f.UncompressedSize64 > uint64(limit) {
		return refuse(fmt.Sprintf("it unpacks to %d bytes: allowed are at most %d", f.UncompressedSize64, limit))
	}
	text, err := f.Open()
	if err != nil {
		return refuse(bench.Clean(err.Error(), 200))
	}
	defer text.Close()
	return u.take(f.Name, text, refuse)
}

// take writes the text of one entry and hashes it.
func (u *unpacking) take(name string, text io.Reader, refuse func(string) error) error {
	var kept bytes.Buffer
	var out io.WriteCloser = plain{&kept}
	limit := min(u.left, u.limits.file)
	if name == ManifestFile {
		limit = min(limit, 16<<20)
	} else {
		var err error
		if out, err = u.to(name); err != nil {
			return fmt.Errorf("unpack the bundle: %w", err)
		}
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(hash, out), io.LimitReader(text, limit+1))
	closed := out.Close()
	switch {
	case n > limit:
		return refuse(fmt.Sprintf("it unpacks to more than %d bytes", limit))
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrFormat), errors.Is(err, io.ErrUnexpectedEOF):
		return refuse("it is damaged: " + err.Error())
	case err != nil || closed != nil:
		return refuse("it can't be unpacked: " + bench.Clean(errors.Join(err, closed).Error(), 200))
	}
	u.left -= n
	if name == ManifestFile {
		u.manifest = kept.Bytes()
		return nil
	}
	u.unpacked.Files = append(u.unpacked.Files, BundledFile{name, n, hex.EncodeToString(hash.Sum(nil))})
	return nil
}

// plain is a writer that needs no closing.
type plain struct{ io.Writer }

func (plain) Close() error { return nil }

// bundledName is the name of a file in a run's folder.
var bundledName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_.-]{0,99}$`)

// entryFault is why an entry has no place in a bundle; "" if it has.
func entryFault(f *zip.File) string {
	folder, file, nested := strings.Cut(strings.TrimSuffix(f.Name, "/"), "/")
	isFolder := strings.HasSuffix(f.Name, "/")
	switch {
	case !f.Mode().IsRegular() && !(isFolder && f.Mode().IsDir()):
		return "it is not a plain file"
	case f.Flags&1 != 0:
		return "it is encrypted"
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return "its compression is not one of a bundle"
	case !fs.ValidPath(strings.TrimSuffix(f.Name, "/")) || strings.ContainsAny(f.Name, `\:`):
		return "its name could lead out of the folder"
	case f.Name == ManifestFile:
		return ""
	case CheckRunID(folder) != nil, isFolder == nested, nested && !bundledName.MatchString(file), nested && reserved(file):
		return "its name is not one of a bundle"
	}
	return ""
}

// reserved reports whether Windows keeps a name for a device.
func reserved(name string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	return slices.Contains([]string{"con", "prn", "aux", "nul"}, stem) ||
		len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) && stem[3] >= '0' && stem[3] <= '9'
}

// readManifest decodes the manifest; what is wrong with it is told, not an error.
func (u *unpacking) readManifest() error {
	if u.manifest == nil {
		u.unpacked.Fault = "it is missing"
		return nil
	}
	var m Manifest
	if err := json.Unmarshal(u.manifest, &m); err != nil {
		u.unpacked.Fault = "it can't be read: " + bench.Clean(err.Error(), 200)
		return nil
	}
	scrub(&m)
	if m.Schema != BundleSchema {
		u.unpacked.Fault = fmt.Sprintf("its schema is %q: allowed is %q", bench.Clean(m.Schema, 80), BundleSchema)
		return nil
	}
	u.unpacked.Manifest = &m
	return nil
}
