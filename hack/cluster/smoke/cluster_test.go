//go:build cluster

package smoke

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/fettle-dev/fettle/hack/cluster/settings"
)

// patience is for a machine that is busy with other things.
const patience = 2 * time.Minute

// namespace is where one test lives.
type namespace struct {
	t      *testing.T
	client *kubernetes.Clientset
	name   string
}

// kubeconfig returns the file by which tests reach the cluster.
func kubeconfig(t *testing.T) string {
	t.Helper()
	if file := os.Getenv("KUBECONFIG"); file != "" {
		return file
	}
	s, err := settings.FromEnv(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	return s.Kubeconfig()
}

func connect(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig(t))
	if err != nil {
		t.Fatalf("no cluster: %v; bring one up by make cluster, or set KUBECONFIG", err)
	}
	config.QPS, config.Burst = 100, 200
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// newNamespace makes one, waits until Pods can be made in it, and removes it with the test.
// From here on the test runs beside others: most of its time is waiting for the kubelet.
func newNamespace(t *testing.T) *namespace {
	t.Helper()
	t.Parallel()
	n := &namespace{t: t, client: connect(t)}
	made, err := n.client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "smoke-",
		Labels:       map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	n.name = made.Name
	t.Cleanup(func() {
		// The test's own context has ended here.
		if err := n.client.CoreV1().Namespaces().Delete(context.Background(), n.name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	n.eventually("default ServiceAccount", func(ctx context.Context) error {
		_, err := n.client.CoreV1().ServiceAccounts(n.name).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	return n
}

// eventually polls until ok returns nil.
func (n *namespace) eventually(what string, ok func(context.Context) error) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), patience)
	defer cancel()
	for {
		err := ok(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			n.t.Fatalf("%s: got %v for %v", what, err, patience)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// run creates a Pod and returns it as it ended, with each container's output.
func (n *namespace) run(pod *corev1.Pod) (ended *corev1.Pod, output map[string]string) {
	n.t.Helper()
	n.create(pod)
	ended = n.until(pod.Name, func(p *corev1.Pod) bool {
		return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
	})
	output = map[string]string{}
	for _, c := range append(ended.Spec.InitContainers, ended.Spec.Containers...) {
		output[c.Name] = n.logs(pod.Name, c.Name)
	}
	return ended, output
}

// succeed runs a Pod that has to succeed and returns what its containers said.
func (n *namespace) succeed(pod *corev1.Pod) map[string]string {
	n.t.Helper()
	ended, output := n.run(pod)
	if ended.Status.Phase != corev1.PodSucceeded {
		n.t.Fatalf("Pod %s: got %s, want Succeeded; output %q", pod.Name, ended.Status.Phase, output)
	}
	return output
}

func (n *namespace) create(pod *corev1.Pod) {
	n.t.Helper()
	if _, err := n.client.CoreV1().Pods(n.name).Create(n.t.Context(), pod, metav1.CreateOptions{}); err != nil {
		n.t.Fatalf("Pod %s: %v", pod.Name, err)
	}
}

// until watches a Pod until it is as wanted.
func (n *namespace) until(name string, ok func(*corev1.Pod) bool) *corev1.Pod {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), patience)
	defer cancel()
	watcher, err := n.client.CoreV1().Pods(n.name).Watch(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, name).String(),
	})
	if err != nil {
		n.t.Fatal(err)
	}
	defer watcher.Stop()
	var last *corev1.Pod
	for event := range watcher.ResultChan() {
		pod, isPod := event.Object.(*corev1.Pod)
		if !isPod || event.Type == watch.Deleted {
			n.t.Fatalf("Pod %s: got event %s %+v", name, event.Type, event.Object)
		}
		if last = pod; ok(pod) {
			return pod
		}
	}
	n.t.Fatalf("Pod %s: got %s for %v\n%s", name, describe(last), patience, n.events(name))
	return nil
}

func describe(pod *corev1.Pod) string {
	if pod == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s %+v", pod.Status.Phase, pod.Status.ContainerStatuses)
}

func (n *namespace) events(object string) string {
	list, err := n.client.CoreV1().Events(n.name).List(context.Background(), metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("involvedObject.name", object).String(),
	})
	if err != nil {
		return err.Error()
	}
	var text string
	for _, e := range list.Items {
		text += e.Reason + ": " + e.Message + "\n"
	}
	return text
}

func (n *namespace) logs(pod, container string) string {
	n.t.Helper()
	stream, err := n.client.CoreV1().Pods(n.name).GetLogs(pod, &corev1.PodLogOptions{Container: container}).Stream(n.t.Context())
	if err != nil {
		return err.Error()
	}
	defer stream.Close()
	text, err := io.ReadAll(stream)
	if err != nil {
		n.t.Fatal(err)
	}
	return string(text)
}

// errStill says that something hasn't gone yet.
var errStill = errors.New("still there")

func gone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		return errStill
	}
	return err
}
