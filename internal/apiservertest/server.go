package apiservertest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"k8s.io/client-go/rest"
)

// server is a running API server with its etcd.
type server struct {
	config    *rest.Config
	processes []*process
}

// startOnce starts both programs and waits until the definitions are served.
func startOnce(ctx context.Context, programs programs, base string) (_ *server, err error) {
	dir, err := os.MkdirTemp(base, "server")
	if err != nil {
		return nil, err
	}
	keys, err := newCredentials(dir)
	if err != nil {
		return nil, err
	}
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	s := &server{config: &rest.Config{
		Host:            "https://127.0.0.1:" + ports[2],
		BearerToken:     keys.token,
		TLSClientConfig: rest.TLSClientConfig{CAData: keys.authority},
		QPS:             -1, // tests ask as fast as they can
	}}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	for _, program := range []struct {
		path      string
		arguments []string
	}{
		{programs.etcd, etcdArguments(ports[0], ports[1])},
		{programs.apiServer, serverArguments(keys, ports[0], ports[2])},
	} {
		p, err := launch(dir, program.path, program.arguments...)
		if err != nil {
			return nil, err
		}
		s.processes = append(s.processes, p)
	}
	client, err := newClient(s.config)
	if err != nil {
		return nil, err
	}
	err = s.await(ctx, "ready", func(ctx context.Context) error {
		return client.Get().AbsPath("/readyz").Do(ctx).Error()
	})
	if err != nil {
		return nil, err
	}
	return s, s.install(ctx, client)
}

// etcdArguments make it keep its data in its working directory, and not sync them.
func etcdArguments(client, peer string) []string {
	clientURL, peerURL := "http://127.0.0.1:"+client, "http://127.0.0.1:"+peer
	return []string{
		"--data-dir=etcd",
		"--unsafe-no-fsync",
		"--log-level=warn",
		"--listen-client-urls=" + clientURL,
		"--advertise-client-urls=" + clientURL,
		"--listen-peer-urls=" + peerURL,
		"--initial-advertise-peer-urls=" + peerURL,
		"--initial-cluster=default=" + peerURL,
	}
}

func serverArguments(keys *credentials, etcd, port string) []string {
	return []string{
		"--etcd-servers=http://127.0.0.1:" + etcd,
		"--bind-address=127.0.0.1",
		// Nobody looks for it by its service, which couldn't lead to a loopback address.
		"--endpoint-reconciler-type=none",
		"--secure-port=" + port,
		"--tls-cert-file=" + keys.certFile,
		"--tls-private-key-file=" + keys.keyFile,
		"--token-auth-file=" + keys.tokenFile,
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + keys.signingKeyFile,
		"--service-account-signing-key-file=" + keys.signingKeyFile,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--allow-privileged=true",
		"--profiling=false",
	}
}

// freePorts returns n ports that nobody listens on at this moment.
func freePorts(n int) ([]string, error) {
	var ports []string
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		// Held until all are chosen, so that none is chosen twice.
		defer func() { _ = listener.Close() }()
		ports = append(ports, strconv.Itoa(listener.Addr().(*net.TCPAddr).Port))
	}
	return ports, nil
}

// await polls until ok returns nil, a process has ended or the context has.
func (s *server) await(ctx context.Context, what string, ok func(context.Context) error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		last := ok(ctx)
		if last == nil {
			return nil
		}
		for _, p := range s.processes {
			if err := p.death(); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not %s: %w", what, errors.Join(ctx.Err(), last))
		case <-tick.C:
		}
	}
}

// stop ends the API server before the etcd that it needs.
func (s *server) stop() {
	for i := len(s.processes) - 1; i >= 0; i-- {
		s.processes[i].kill()
	}
}
