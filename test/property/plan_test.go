package property

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
)

// Names collide, nest and are few; texts are alike.
var (
	names = []string{"src/a", "src/b.ts", "src/c.ts", "src/d.md", "src/dir/a.ts", "src/dir/b.ts", "src/dir/deep/c.ts", "src/e.json", "src/new/f.ts", "src/LICENSE"}
	texts = []string{"", "x\n", "x\n", "y\nx\n", "one\ntwo\nthree\n", "one\nzwei\nthree\nfour\n"}
	forms = []string{"one\r\ntwo\r\n", "\uFEFFx\none\n", "no end", "x\nno end", "mixed\r\none\n", "old\rmac\r"}
)

// plan is a random plan, and the model that it leads to.
type plan struct {
	rnd   *rand.Rand
	model *model
	start map[string]stored
	steps []map[string]any
	given [][]string // what each run of the tool is given, in order
}

// newPlan draws files and a plan for them that every step of which goes well.
func newPlan(rnd *rand.Rand) *plan {
	p := &plan{rnd: rnd, start: map[string]stored{}}
	for _, name := range names {
		if strings.Contains(name, ".") && rnd.IntN(3) > 0 {
			p.start[name] = stored{p.text(), []fs.FileMode{0o644, 0o644, 0o755, 0o600}[rnd.IntN(4)]}
		}
	}
	p.model = newModel(p.start)
	for range 3 + rnd.IntN(7) {
		switch p.rnd.IntN(6) {
		case 0:
			p.edit()
		case 1, 2:
			p.patch()
		case 3:
			p.write()
		default:
			p.tool()
		}
	}
	p.step("write", map[string]any{})
	p.model.save()
	return p
}

func (p *plan) text() string {
	if p.rnd.IntN(3) == 0 {
		return forms[p.rnd.IntN(len(forms))]
	}
	return texts[p.rnd.IntN(len(texts))]
}

func (p *plan) step(kind string, args map[string]any) {
	p.steps = append(p.steps, map[string]any{"name": fmt.Sprintf("s%d", len(p.steps)), kind: args})
}

// pick draws one of a list, "" of none.
func (p *plan) pick(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[p.rnd.IntN(len(list))]
}

// name draws a name for which ok holds, "" if it finds none.
func (p *plan) name(ok func(string) bool) string {
	for range 10 {
		if name := p.pick(names); strings.Contains(name, ".") && ok(name) {
			return name
		}
	}
	return ""
}

// edit replaces a line that is there once.
func (p *plan) edit() {
	path := p.pick(p.model.paths())
	if path == "" {
		return
	}
	data := p.model.files[path].data
	list := lines(strings.TrimPrefix(data, "\uFEFF"))
	body := func(line string) string { return strings.TrimRight(line, "\r\n") }
	for i, line := range list {
		find, count := body(line), 0
		for _, other := range list {
			if body(other) == find {
				count++
			}
		}
		if find == "" || count != 1 {
			continue
		}
		fresh := fmt.Sprintf("edited %d", p.rnd.IntN(3))
		list[i] = fresh + line[len(find):]
		p.step("edit", map[string]any{"path": path, "edits": []any{map[string]any{"find": find, "replace": fresh}}})
		bom := data[:len(data)-len(strings.TrimPrefix(data, "\uFEFF"))]
		p.model.update(path, bom+strings.Join(list, ""))
		return
	}
}

// patch adds, deletes, moves and swaps, in order.
func (p *plan) patch() {
	var out strings.Builder
	for range 1 + p.rnd.IntN(5) {
		from := p.pick(p.model.paths())
		switch p.rnd.IntN(4) {
		case 0:
			if to := p.name(p.model.free); to != "" {
				data := texts[p.rnd.IntN(len(texts))]
				fmt.Fprintf(&out, "*** Add File: %s\n", to)
				for line := range strings.Lines(data) {
					out.WriteString("+" + line)
				}
				p.model.add(to, data)
			}
		case 1:
			if from != "" {
				fmt.Fprintf(&out, "*** Delete File: %s\n", from)
				p.model.remove(from)
			}
		case 2:
			if to := p.name(p.model.free); from != "" && to != "" {
				p.moves(&out, from, to)
			}
		default:
			other, aside := p.pick(p.model.paths()), p.name(p.model.absent)
			if from != other && from != "" && aside != "" {
				p.moves(&out, from, aside)
				p.moves(&out, other, from)
				p.moves(&out, aside, other)
			}
		}
	}
	if out.Len() > 0 {
		p.step("applyPatch", map[string]any{"patch": "*** Begin Patch\n" + out.String() + "*** End Patch\n"})
	}
}

func (p *plan) moves(out *strings.Builder, from, to string) {
	fmt.Fprintf(out, "*** Update File: %s\n*** Move to: %s\n", from, to)
	p.model.move(from, to)
}

// write writes everything, or one file.
func (p *plan) write() {
	path := p.pick(p.model.paths())
	if p.rnd.IntN(2) == 0 || path == "" || !p.model.simple(path) {
		p.step("write", map[string]any{})
		p.model.save()
		return
	}
	p.step("write", map[string]any{"paths": []string{path}})
	p.model.saveOne(path)
}

// deed is one thing that the tool does.
type deed struct{ Do, Path, To, Text string }

// tool runs a tool that does to what it is given whatever tools do.
func (p *plan) tool() {
	given := p.model.clean()
	p.given = append(p.given, given)
	alive := map[string]bool{}
	for _, path := range given {
		alive[path] = true
	}
	deeds := []deed{}
	touched := map[string]bool{} // a file that goes and comes back in one run keeps its identity
	fresh := func(path string) bool { return p.model.absent(path) && !touched[path] }
	for range p.rnd.IntN(5) {
		path := p.pick(given)
		if path != "" && !alive[path] {
			continue
		}
		switch n := p.rnd.IntN(6); {
		case n == 0:
			if to := p.name(fresh); to != "" {
				d := deed{Do: "create", Path: to, Text: p.text()}
				deeds = append(deeds, d)
				p.model.created(to, d.Text, 0o644)
				touched[to] = true
			}
		case path == "":
		case n == 1:
			deeds = append(deeds, deed{Do: "remove", Path: path})
			p.model.removed(path)
			alive[path], touched[path] = false, true
		case n == 2:
			if to := p.name(fresh); to != "" {
				deeds = append(deeds, deed{Do: "rename", Path: path, To: to})
				f := p.model.files[path]
				p.model.removed(path)
				p.model.created(to, f.data, f.mode)
				alive[path], touched[path], touched[to] = false, true, true
			}
		case n == 3:
			mode := []string{"644", "755", "600"}[p.rnd.IntN(3)]
			deeds = append(deeds, deed{Do: "chmod", Path: path, Text: mode})
			p.model.chmodded(path, map[string]fs.FileMode{"644": 0o644, "755": 0o755, "600": 0o600}[mode])
		default:
			d := deed{Do: []string{"rewrite", "replace"}[n-4], Path: path, Text: p.text()}
			deeds = append(deeds, d)
			p.model.rewritten(path, d.Text)
		}
	}
	script, err := json.Marshal(deeds)
	if err != nil {
		panic(err) // strings always can be
	}
	p.step("run", map[string]any{
		"command": []string{"misfit", "do", string(script)}, "scope": []string{"src/**"}, "needs": []string{"delete", "rename", "mkdir"},
	})
}

// manifest is the pipeline, in JSON, which is YAML.
func (p *plan) manifest() string {
	data, err := json.MarshalIndent(map[string]any{
		"apiVersion": "fettle.dev/v1alpha1", "kind": "DevPipeline", "metadata": map[string]any{"name": "property"},
		"spec": map[string]any{
			"source":    map[string]any{"persistentVolumeClaim": map[string]any{"claimName": "property"}},
			"workspace": map[string]any{"acquire": []string{"src/**"}, "onNoMatch": "Ignore"},
			"policy":    map[string]any{"write": map[string]any{"allow": []string{"src/**", "src/**/.fettle-*"}}},
			"steps":     p.steps,
		},
	}, "", "  ")
	if err != nil {
		panic(err) // as above
	}
	return string(data)
}
