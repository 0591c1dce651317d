package blocks

import (
	"cmp"
	"slices"
)

// firstOfTarget returns for each target the index of the first equal one. An empty
// target, of a block whose path is bad, equals none but itself.
func firstOfTarget(targets []string) []int {
	first := make([]int, len(targets))
	seen := make(map[string]int, len(targets))
	for i, t := range targets {
		first[i] = i
		if t == "" {
			continue
		}
		if j, ok := seen[t]; ok {
			first[i] = j
			continue
		}
		seen[t] = i
	}
	return first
}

// clashes returns for each target the index of an earlier one that lies above or below
// it or, if caseToo, is another spelling of it; otherwise -1 (§ 4.2). Only the first of
// equal targets takes part.
func clashes(targets []string, first []int, caseToo bool) []int {
	distinct := make([]int, 0, len(targets))
	for i, t := range targets {
		if t != "" && first[i] == i {
			distinct = append(distinct, i)
		}
	}
	clash := nested(targets, distinct)
	if !caseToo {
		return clash
	}
	seen := make(map[string]int, len(distinct))
	for _, i := range distinct {
		key := CollisionKey(targets[i])
		j, ok := seen[key]
		if !ok {
			seen[key] = i
		} else if clash[i] < 0 {
			clash[i] = j
		}
	}
	return clash
}

// nested finds the clashes of files with directories among distinct targets. It walks
// them in the order of a tree, so its cost doesn't depend on their depth.
func nested(targets []string, distinct []int) []int {
	clash := make([]int, len(targets))
	for i := range clash {
		clash[i] = -1
	}
	order := slices.Clone(distinct)
	slices.SortFunc(order, func(a, b int) int { return compareTree(targets[a], targets[b]) })
	// The stack holds the targets above the present one. first is the least index of
	// a target and of those above it; a target is told of earlier ones below it when
	// the walk leaves it.
	type frame struct{ index, above, below int }
	var stack []frame
	none := len(targets)
	leave := func() {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if top.below < top.index && clash[top.index] < 0 {
			clash[top.index] = top.below
		}
		if len(stack) > 0 {
			parent := &stack[len(stack)-1]
			parent.below = min(parent.below, top.index, top.below)
		}
	}
	for _, i := range order {
		for len(stack) > 0 && !isBelow(targets[i], targets[stack[len(stack)-1].index]) {
			leave()
		}
		above := none
		if len(stack) > 0 {
			parent := stack[len(stack)-1]
			above = min(parent.above, parent.index)
		}
		if above < i {
			clash[i] = above
		}
		stack = append(stack, frame{index: i, above: above, below: none})
	}
	for len(stack) > 0 {
		leave()
	}
	return clash
}

// compareTree orders paths so that what lies below one follows it at once.
func compareTree(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		switch {
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		}
		return cmp.Compare(a[i], b[i])
	}
	return len(a) - len(b)
}

// isBelow reports whether path lies below dir.
func isBelow(path, dir string) bool {
	return len(path) > len(dir) && path[len(dir)] == '/' && path[:len(dir)] == dir
}
