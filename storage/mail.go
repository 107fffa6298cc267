package storage

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// mark returns the short form of an input's identity under which it is remembered:
// 16 characters of its SHA-256, so that what was seen stays small however long
// ids are. 96 bits do not collide within one discussion.
func mark(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

func marks(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = mark(id)
	}
	return out
}

// packMail returns the stored form of mail: the length of its id, id, body.
func packMail(m engine.Mail) []byte {
	b := binary.AppendUvarint(nil, uint64(len(m.ID)))
	b = append(b, m.ID...)
	return append(b, m.Body...)
}

// unpackMail reads what a mailbox holds: the id of the operation that delivered
// it, a newline, and what packMail made.
func unpackMail(stored string) (engine.Mail, error) {
	_, packed, found := bytes.Cut([]byte(stored), []byte("\n"))
	if !found {
		return engine.Mail{}, errors.New("stored mail without an operation id")
	}
	n, used := binary.Uvarint(packed)
	if used <= 0 || n > uint64(len(packed)-used) {
		return engine.Mail{}, errors.New("stored mail is cut off")
	}
	id, body := packed[used:used+int(n)], packed[used+int(n):] //nolint:gosec // n is within packed
	return engine.Mail{ID: string(id), Body: body}, nil
}

// packEntry returns the stored form of an outbox entry: key, newline, body.
func packEntry(i engine.OutboxEntry) []byte {
	return append([]byte(i.Key+"\n"), i.Body...)
}

func unpackEntry(stored string) (engine.OutboxEntry, error) {
	key, body, found := bytes.Cut([]byte(stored), []byte("\n"))
	if !found {
		return engine.OutboxEntry{}, errors.New("stored outbox entry without a key")
	}
	return engine.OutboxEntry{Key: string(key), Body: body}, nil
}

// MaxValue is the size of the largest single value that is stored: an artifact,
// a state, an input, an entry or an effect, in bytes.
const MaxValue = engine.MaxArtifactBytes

// ErrTooLarge means that a value is larger than MaxValue.
var ErrTooLarge = engine.ErrTooLarge

func checkSize(what string, value []byte) error {
	if len(value) > MaxValue {
		return fmt.Errorf("%s has %d bytes, more than %d: %w", what, len(value), MaxValue, ErrTooLarge)
	}
	return nil
}
