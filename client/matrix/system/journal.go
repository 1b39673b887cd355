package system

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A journal is the file that says what must be restored: one JSON object a
// line, only ever added to. An entry is on disk before the change that it is
// for, and the mark that it was restored only after it was.
type journal struct {
	path    string
	file    *os.File // open from the first entry on
	entries []entry  // those that are not restored
	last    int      // the highest number given
}

// An entry is the state of one setting before its first change.
type entry struct {
	Number int       `json:"entry"` // from 1
	Time   time.Time `json:"time"`
	key
	Before json.RawMessage `json:"before"`
}

// A mark says that an entry was restored.
type mark struct {
	Number   int       `json:"entry"`
	Time     time.Time `json:"time"`
	Restored bool      `json:"restored"`
}

// readJournal reads what a journal holds; one that is not there holds nothing.
func readJournal(path string) (*journal, error) {
	j := &journal{path: path}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the journal %s is no ordinary file", path)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("read the journal %s: %w", path, err)
	}
	if err := j.parse(text); err != nil {
		return nil, fmt.Errorf("%s is no journal of changes to the system: %w", path, err)
	}
	return j, nil
}

// parse takes in the lines of a journal. A last line without an end was cut
// off while it was written, so that what it is for did not happen.
func (j *journal) parse(text []byte) error {
	const start = `{"entry":`
	whole := bytes.LastIndexByte(text, '\n') + 1
	if torn := text[whole:]; !strings.HasPrefix(start, string(torn[:min(len(torn), len(start))])) {
		return errors.New("its last line is none of ours")
	}
	text = text[:whole]
	number := 0
	for line := range bytes.Lines(text) {
		number++
		var l struct {
			entry
			Restored bool `json:"restored"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		switch {
		case l.Restored:
			if !j.remove(l.Number) {
				return fmt.Errorf("line %d: there is no entry %d", number, l.Number)
			}
		case l.Number <= j.last || l.By == "" || len(l.Before) == 0:
			return fmt.Errorf("line %d is not an entry", number)
		default:
			j.last = l.Number
			j.entries = append(j.entries, l.entry)
		}
	}
	return nil
}

func (j *journal) remove(number int) bool {
	for i, e := range j.entries {
		if e.Number == number {
			j.entries = append(j.entries[:i:i], j.entries[i+1:]...)
			return true
		}
	}
	return false
}

// find returns the state before the first change of a setting.
func (j *journal) find(k key) (before json.RawMessage, ok bool) {
	for _, e := range j.entries {
		if e.key == k {
			return e.Before, true
		}
	}
	return nil, false
}

// add writes down a state. It is on disk when the error is nil.
func (j *journal) add(k key, before json.RawMessage) error {
	e := entry{Number: j.last + 1, Time: time.Now().UTC(), key: k, Before: before}
	if err := j.append(e); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	j.last = e.Number
	j.entries = append(j.entries, e)
	return nil
}

// restored marks an entry.
func (j *journal) restored(number int) error {
	if err := j.append(mark{number, time.Now().UTC(), true}); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	j.remove(number)
	return nil
}

func (j *journal) append(line any) error {
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if j.file == nil {
		if err := j.open(); err != nil {
			return err
		}
	}
	if _, err := j.file.Write(append(b, '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}

// open opens the file, behind its last whole line, and makes sure that the
// directory knows it.
func (j *journal) open() error {
	f, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(f)
	if err == nil {
		whole := int64(bytes.LastIndexByte(text, '\n') + 1)
		if err = f.Truncate(whole); err == nil {
			_, err = f.Seek(whole, io.SeekStart)
		}
	}
	if err == nil {
		err = syncDirectory(filepath.Dir(j.path))
	}
	if err != nil {
		f.Close()
		return err
	}
	j.file = f
	return nil
}

// close closes the file, and removes it if everything in it was restored.
func (j *journal) close() error {
	var err error
	if j.file != nil {
		err = j.file.Close()
		j.file = nil
	}
	if len(j.entries) > 0 {
		return err
	}
	if removeErr := os.Remove(j.path); removeErr != nil {
		if !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
		return err
	}
	return errors.Join(err, syncDirectory(filepath.Dir(j.path)))
}

// makeDirectory makes the directory of a file, which nobody else can look
// into: the rules of a firewall are nobody's business.
func makeDirectory(file string) error {
	dir := filepath.Dir(file)
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(dir))
}

// syncDirectory writes the names of files to disk. Windows does so by itself.
func syncDirectory(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
