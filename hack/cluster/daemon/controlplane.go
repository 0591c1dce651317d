package daemon

const (
	etcdClient = "http://127.0.0.1:2379"
	etcdPeer   = "http://127.0.0.1:2380"
)

// etcd doesn't sync: its data doesn't outlive the cluster.
func (w Where) etcd() []string {
	return []string{w.program(Etcd),
		"--data-dir=" + w.Settings.Path("etcd"),
		"--unsafe-no-fsync",
		"--listen-client-urls=" + etcdClient,
		"--advertise-client-urls=" + etcdClient,
		"--listen-peer-urls=" + etcdPeer,
		"--initial-advertise-peer-urls=" + etcdPeer,
		"--initial-cluster=default=" + etcdPeer,
		"--log-level=warn",
	}
}

func (w Where) apiServer() []string {
	s := w.Settings
	return []string{w.program(APIServer),
		"--etcd-servers=" + etcdClient,
		"--bind-address=0.0.0.0",
		"--secure-port=6443",
		"--advertise-address=" + s.NodeIP().String(),
		"--tls-cert-file=" + w.pki("apiserver.crt"),
		"--tls-private-key-file=" + w.pki("apiserver.key"),
		"--client-ca-file=" + w.pki("ca.crt"),
		"--kubelet-client-certificate=" + w.pki("apiserver-kubelet.crt"),
		"--kubelet-client-key=" + w.pki("apiserver-kubelet.key"),
		"--kubelet-certificate-authority=" + w.pki("ca.crt"),
		"--kubelet-preferred-address-types=InternalIP",
		"--proxy-client-cert-file=" + w.pki("front-proxy.crt"),
		"--proxy-client-key-file=" + w.pki("front-proxy.key"),
		"--requestheader-client-ca-file=" + w.pki("ca.crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + w.pki("sa.pub"),
		"--service-account-signing-key-file=" + w.pki("sa.key"),
		"--service-cluster-ip-range=" + s.Services().String(),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
		"--profiling=false",
	}
}

// controllerManager has more requests per second than by default: a new namespace would
// wait for its ServiceAccount for many seconds otherwise.
func (w Where) controllerManager() []string {
	config := w.pki("controller-manager.kubeconfig")
	return []string{w.program(ControllerManager),
		"--kubeconfig=" + config,
		"--authentication-kubeconfig=" + config,
		"--authorization-kubeconfig=" + config,
		"--bind-address=127.0.0.1",
		"--leader-elect=false",
		"--use-service-account-credentials=true",
		"--root-ca-file=" + w.pki("ca.crt"),
		"--service-account-private-key-file=" + w.pki("sa.key"),
		"--cluster-signing-cert-file=" + w.pki("ca.crt"),
		"--cluster-signing-key-file=" + w.pki("ca.key"),
		"--service-cluster-ip-range=" + w.Settings.Services().String(),
		"--cluster-cidr=" + w.Settings.Pods().String(),
		"--kube-api-qps=200",
		"--kube-api-burst=400",
	}
}

func (w Where) scheduler() []string {
	config := w.pki("scheduler.kubeconfig")
	return []string{w.program(Scheduler),
		"--kubeconfig=" + config,
		"--authentication-kubeconfig=" + config,
		"--authorization-kubeconfig=" + config,
		"--bind-address=127.0.0.1",
		"--leader-elect=false",
	}
}

func (w Where) kubelet() []string {
	return []string{w.program(Kubelet),
		"--config=" + w.Settings.Path("kubelet.yaml"),
		"--kubeconfig=" + w.pki("node.kubeconfig"),
		"--hostname-override=" + w.Settings.Name,
		"--node-ip=" + w.Settings.NodeIP().String(),
		"--v=2",
	}
}
