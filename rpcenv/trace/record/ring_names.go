package record

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Name is the number by which a ring knows a text: the name of an endpoint, a peer or a type. 0 is no text, or one for
// which there was no room.
type Name uint16

// maxName bounds a text in the ring, in bytes; the rest is cut off.
const maxName = 255

// maxNames is how many numbers there are.
const maxNames = 1<<16 - 1

// longName is from where on a text is an error's rather than a name: those may take half of the room.
const longName = 64

// Whole reports whether n, the number of text, stands for all of it.
func Whole(n Name, text string) bool { return len(text) <= maxName && (n != 0 || text == "") }

// dictionary gives texts their numbers and keeps them in the ring. Finding a number takes no lock.
type dictionary struct {
	cache [512]atomic.Pointer[namedText]
	types [128]atomic.Pointer[Type]
	seed  maphash.Seed

	mu      sync.Mutex
	numbers map[string]*namedText
	byType  map[unsafe.Pointer]*Type
	area    []byte
	used    *uint64
	list    []string      // by number, from 1
	count   atomic.Uint32 // of list
}

type namedText struct {
	text string
	name Name
}

// Type is a type of messages, as a ring knows it.
type Type struct {
	goType unsafe.Pointer
	// Text is its name in the trace.
	Text string
	// Untraced messages are counted, not recorded.
	Untraced bool
	// Name is the number of Text; Whole says that it stands for all of Text.
	Name  Name
	Whole bool
}

func (n *dictionary) init(area []byte, used *uint64) {
	n.area, n.used, n.seed = area, used, maphash.MakeSeed()
	n.numbers, n.byType = map[string]*namedText{}, map[unsafe.Pointer]*Type{}
}

// of is the number of a text.
func (n *dictionary) of(text string) Name {
	if text == "" {
		return 0
	}
	// Two texts of one place of the cache replace each other. That costs the lock, no more.
	cached := &n.cache[maphash.String(n.seed, text)%uint64(len(n.cache))]
	if c := cached.Load(); c != nil && c.text == text {
		return c.name
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.addLocked(text)
	cached.Store(c)
	return c.name
}

// addLocked numbers a text, unless there is no room: a process that makes up names without end fills the table once.
func (n *dictionary) addLocked(text string) *namedText {
	if known := n.numbers[text]; known != nil { // pushed out of the cache by another text
		return known
	}
	text = strings.Clone(text) // it may be part of something large
	short := text
	if len(short) > maxName {
		short = strings.ToValidUTF8(short[:maxName], "")
	}
	if known := n.numbers[short]; known != nil { // text is longer
		return &namedText{text, known.name}
	}
	at, room := int(*n.used), len(n.area)
	if len(short) > longName {
		room /= 2
	}
	if at+2+len(short) > room || len(n.list) == maxNames {
		return &namedText{text, 0}
	}
	binary.NativeEndian.PutUint16(n.area[at:], uint16(len(short)))
	copy(n.area[at+2:], short)
	// Last: a process may be killed at any moment, and the reader of its ring takes all that is in use for whole.
	atomic.StoreUint64(n.used, uint64(at+2+len(short)))
	n.list = append(n.list, short)
	n.count.Store(uint32(len(n.list)))
	name := Name(len(n.list))
	n.numbers[short] = &namedText{short, name}
	if short == text {
		return n.numbers[short]
	}
	return &namedText{text, name}
}

// texts are all texts by number, from 1.
func (n *dictionary) texts() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clip(n.list) // they are only ever appended to
}

// readNames are the texts in the names of a ring file. One that does not fit into what is in use ends them.
func readNames(area []byte) (list []string) {
	for len(area) >= 2 && len(list) < maxNames {
		n := int(binary.NativeEndian.Uint16(area))
		if n > maxName || 2+n > len(area) {
			break
		}
		list = append(list, strings.ToValidUTF8(string(area[2:2+n]), "?"))
		area = area[2+n:]
	}
	return list
}

// typeOf is the type of a message, which describe names when it is new. dynamic says that messages of this Go type have
// names of their own.
func (n *dictionary) typeOf(m any, describe func(m any) (text string, untraced, dynamic bool)) *Type {
	// The first word of an interface is its type. reflect says the same, and takes longer than all else of a record.
	goType := *(*unsafe.Pointer)(unsafe.Pointer(&m))
	cached := &n.types[(uintptr(goType)>>5^uintptr(goType)>>12)%uintptr(len(n.types))]
	if c := cached.Load(); c != nil && c.goType == goType {
		return c
	}
	return n.newType(m, goType, cached, describe)
}

func (n *dictionary) newType(
	m any, goType unsafe.Pointer, cached *atomic.Pointer[Type], describe func(m any) (text string, untraced, dynamic bool),
) *Type {
	n.mu.Lock()
	defer n.mu.Unlock()
	if t := n.byType[goType]; t != nil { // known, and pushed out of the cache by another type
		cached.Store(t)
		return t
	}
	text, untraced, dynamic := describe(m)
	t := &Type{goType: goType, Text: text, Untraced: untraced, Name: n.addLocked(text).name}
	t.Whole = Whole(t.Name, text)
	if !dynamic { // the next message of a dynamic Go type may have another name
		n.byType[goType] = t
		cached.Store(t)
	}
	return t
}
