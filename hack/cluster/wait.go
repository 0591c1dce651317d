package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/fettle-dev/fettle/hack/cluster/supervise"
)

// check says whether something is so; an error only explains why it isn't yet.
type check func(context.Context) (bool, error)

// patience is how long anything may take on a busy machine.
const patience = 3 * time.Minute

// await polls until ok, until the daemon that it depends on has ended, or until patience does.
func (b *bring) await(ctx context.Context, what, daemon string, ok check) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not ready after %v", patience))
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		ready, last := ok(ctx)
		if ready {
			return nil
		}
		if err := b.lives(daemon); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, errors.Join(context.Cause(ctx), last))
		case <-tick.C:
		}
	}
}

// lives returns an error with the end of the log of a daemon that has ended.
func (b *bring) lives(daemon string) error {
	states, err := b.control.List()
	if err != nil {
		return err
	}
	for _, state := range states {
		if state.Name == daemon && !state.Running {
			return dead(state)
		}
	}
	return nil
}

func dead(state supervise.State) error {
	data, err := os.ReadFile(state.Log)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	last := strings.Join(lines[max(0, len(lines)-5):], "\n")
	return fmt.Errorf("%s ended with %s; the end of %s:\n%s", state.Name, state.Exit, state.Log, last)
}

func apiReady(client kubernetes.Interface) check {
	return func(ctx context.Context) (bool, error) {
		err := client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
		return err == nil, err
	}
}

func nodeReady(client kubernetes.Interface, name string) check {
	return func(ctx context.Context) (bool, error) {
		node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
				return false, errors.New(c.Message)
			}
			if c.Type == corev1.NodeReady {
				return true, nil
			}
		}
		return false, errors.New("the kubelet has not reported yet")
	}
}

func serviceAccountReady(client kubernetes.Interface) check {
	return func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err == nil, err
	}
}
