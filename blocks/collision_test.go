package blocks

import (
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Keys of single code points are equal exactly where canonical caseless matching of
// golang.org/x/text says so; but it swaps the cases of Cherokee in place of folding them.
func TestCollisionKeyAgreesWithCanonicalCaselessMatching(t *testing.T) {
	fold := cases.Fold()
	reference := func(s string) string { return norm.NFD.String(fold.String(norm.NFD.String(s))) }
	keyOf, refOf := map[string]string{}, map[string]string{}
	for r := rune(1); r <= 0x1FFFF; r++ {
		if r >= 0xD800 && r < 0xE000 || unicode.Is(unicode.Cherokee, r) {
			continue
		}
		inContext := "a" + string(r) + "\u0315\u0300\u05ae"
		if r >= 0x3400 {
			inContext = "" // nothing but decompositions of their own from here
		}
		for _, s := range []string{string(r), inContext} {
			key, ref := CollisionKey(s), reference(s)
			if other, ok := keyOf[ref]; ok && other != key {
				t.Fatalf("%+q: key %+q, want %+q as for others that fold to %+q", s, key, other, ref)
			}
			if other, ok := refOf[key]; ok && other != ref {
				t.Fatalf("%+q: key %+q stands for %+q and for %+q", s, key, other, ref)
			}
			keyOf[ref], refOf[key] = key, ref
		}
	}
}

func TestCollisionKeys(t *testing.T) {
	for _, same := range [][2]string{
		{"README.md", "readme.MD"}, {"stra\u00dfe", "STRASSE"}, {"\u00e9", "E\u0301"}, {"\ufb01le", "FILE"}, {"\u1e9e", "ss"},
		{"\uac00", "\u1100\u1161"}, {"\u212b", "\u00e5"}, {"a\u0323\u0307", "a\u0307\u0323"}, {"\xff", "\xff"}, {"K", "\u212a"}, {"\uab70", "\u13a0"},
	} {
		if a, b := CollisionKey(same[0]), CollisionKey(same[1]); a != b {
			t.Errorf("%+q and %+q: keys %+q and %+q, want equal ones", same[0], same[1], a, b)
		}
	}
	for _, other := range [][2]string{{"a", "b"}, {"\u0131", "i"}, {"\xff", "\xfe"}, {"\xff", "\ufffd"}, {"e", "\u00e9"}, {"\u00b2", "2"}} {
		if a, b := CollisionKey(other[0]), CollisionKey(other[1]); a == b {
			t.Errorf("%+q and %+q: both have the key %+q", other[0], other[1], a)
		}
	}
}
