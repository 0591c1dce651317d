package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"
)

// sample is what one run of a command took.
type sample struct {
	wall, cpu time.Duration
	rss       int64 // bytes
}

// result is a command's samples.
type result struct {
	command
	samples []sample
}

// measure runs every command once a round, in an order drawn anew, after one round that
// doesn't count.
func (b *bench) measure(rounds int) ([]result, error) {
	results := make([]result, len(b.commands))
	for i, c := range b.commands {
		results[i].command = c
	}
	for round := range rounds + 1 {
		for _, i := range rand.Perm(len(results)) {
			s, err := once(results[i].command)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", results[i].name, err)
			}
			if round > 0 {
				results[i].samples = append(results[i].samples, s)
			}
		}
	}
	return results, nil
}

func once(c command) (sample, error) {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = c.env, io.Discard, os.Stderr
	from := time.Now()
	if err := cmd.Run(); err != nil {
		return sample{}, err
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return sample{
		wall: time.Since(from),
		cpu:  cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), // of children too
		rss:  usage.Maxrss << 10,
	}, nil
}

func (r result) median(of func(sample) int64) int64 {
	values := make([]int64, len(r.samples))
	for i, s := range r.samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func wall(s sample) int64 { return int64(s.wall) }
func cpu(s sample) int64  { return int64(s.cpu) }
func rss(s sample) int64  { return s.rss }

func show(results []result, files int) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "%d files\twall ms\tCPU ms\tRSS MiB\twall x peer\tCPU x peer\t\n", files)
	byName := map[string]result{}
	for _, r := range results {
		byName[r.name] = r
		fmt.Fprintf(out, "%s\t%d\t%d\t%.1f\t", r.name, r.median(wall)/1e6, r.median(cpu)/1e6, float64(r.median(rss))/(1<<20))
		if p, ok := byName[r.peer]; ok {
			fmt.Fprintf(out, "%.2f\t%.2f\t\n", ratio(r, p, wall), ratio(r, p, cpu))
		} else {
			fmt.Fprint(out, "\t\t\n")
		}
	}
	return out.Flush()
}

func ratio(r, p result, of func(sample) int64) float64 {
	return float64(r.median(of)) / float64(p.median(of))
}

// overMemory judges P7: 40 MiB and 300 bytes a file, whatever the bytes. What a process
// holds at its height moves with the collector's timing, so a quarter more passes.
func overMemory(results []result, files int) error {
	limit := (int64(40<<20) + 300*int64(files)) * 5 / 4
	for _, r := range results {
		if got := r.median(rss); r.peer != "" && got > limit {
			return fmt.Errorf("%s: %.1f MiB of memory, the budget for %d files, a quarter more, is %.1f MiB", r.name, float64(got)/(1<<20), files, float64(limit)/(1<<20))
		}
	}
	return nil
}
