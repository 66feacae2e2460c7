import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { net, places } from './places.ts'

const key = (name: string) => join(places.keys, name)
const program = (name: string) => join(places.bin, name)
const etcdUrl = `http://127.0.0.1:${net.etcdPort}`
const peerUrl = `http://127.0.0.1:${net.etcdPort + 1}`

/** Each program of the cluster with its arguments, in the order in which they are started. */
export const services = {
  etcd: [
    'etcd',
    ...['--name', 'one', '--data-dir', places.etcd, '--logger', 'zap', '--initial-cluster', `one=${peerUrl}`],
    ...['--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    // What is here is thrown away: a power cut may take it.
    '--unsafe-no-fsync',
  ],
  'kube-apiserver': [
    program('kube-apiserver'),
    ...[`--etcd-servers=${etcdUrl}`, '--bind-address=127.0.0.1', `--advertise-address=${net.node}`],
    ...[`--secure-port=${net.apiPort}`, '--insecure-port=0', '--allow-privileged=true', '--profiling=false'],
    ...[`--tls-cert-file=${key('api.crt')}`, `--tls-private-key-file=${key('api.key')}`],
    ...[`--client-ca-file=${key('ca.crt')}`, `--token-auth-file=${key('tokens.csv')}`],
    ...['--authorization-mode=Node,RBAC', '--enable-admission-plugins=NodeRestriction'],
    ...[`--service-cluster-ip-range=${net.services}`, '--event-ttl=6h'],
    ...['--service-account-issuer=https://kubernetes.default.svc'],
    ...[
      `--service-account-key-file=${key('accounts.pub')}`,
      `--service-account-signing-key-file=${key('accounts.key')}`,
    ],
    ...[
      `--kubelet-client-certificate=${key('api-to-kubelet.crt')}`,
      `--kubelet-client-key=${key('api-to-kubelet.key')}`,
    ],
    ...[`--kubelet-certificate-authority=${key('ca.crt')}`, '--kubelet-preferred-address-types=InternalIP'],
  ],
  'kube-controller-manager': [
    program('kube-controller-manager'),
    ...[
      `--kubeconfig=${key('controllers.kubeconfig')}`,
      '--bind-address=127.0.0.1',
      '--port=0',
      '--leader-elect=false',
    ],
    ...[`--service-account-private-key-file=${key('accounts.key')}`, `--root-ca-file=${key('ca.crt')}`],
    '--use-service-account-credentials=true',
  ],
  'kube-scheduler': [
    program('kube-scheduler'),
    ...[
      `--kubeconfig=${key('scheduler.kubeconfig')}`,
      '--bind-address=127.0.0.1',
      '--port=0',
      '--leader-elect=false',
    ],
  ],
  containerd: ['containerd', '--config', join(places.config, 'containerd.toml')],
  kubelet: [
    program('kubelet'),
    ...[`--kubeconfig=${key('kubelet.kubeconfig')}`, `--config=${join(places.config, 'kubelet.json')}`],
    ...[`--root-dir=${places.kubelet}`, `--hostname-override=${net.nodeName}`, `--node-ip=${net.node}`],
    ...['--container-runtime=remote', `--container-runtime-endpoint=unix://${places.socket}`],
    ...[`--image-service-endpoint=unix://${places.socket}`, `--cert-dir=${join(places.config, 'kubelet')}`],
  ],
} satisfies Record<string, [string, ...string[]]>

export type Service = keyof typeof services

export function writeNodeConfig(): void {
  mkdirSync(join(places.config, 'network'), { recursive: true })
  writeFileSync(join(places.config, 'containerd.toml'), containerdConfig())
  writeFileSync(join(places.config, 'kubelet.json'), JSON.stringify(kubeletConfig, null, 2))
  writeFileSync(join(places.config, 'network/10-bridge.conflist'), JSON.stringify(networkConfig, null, 2))
}

const containerdConfig = () => `version = 2
root = "${places.containerd}"
state = "${join(places.root, 'run/containerd-state')}"
disabled_plugins = [${unused.map((name) => `"io.containerd.${name}"`).join(', ')}]
[grpc]
  address = "${places.socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "ringside.test/pause:1"
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${join(places.config, 'network')}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
`

const unused = [
  ...['internal.v1.opt', 'snapshotter.v1.aufs', 'snapshotter.v1.btrfs', 'snapshotter.v1.devmapper'],
  ...['snapshotter.v1.zfs', 'internal.v1.tracing', 'tracing.processor.v1.otlp'],
]

const networkConfig = {
  cniVersion: '0.4.0',
  name: 'ringside',
  plugins: [
    {
      ...{ type: 'bridge', bridge: net.bridge, isGateway: true, ipMasq: false, hairpinMode: true },
      ipam: { type: 'host-local', dataDir: places.cni, ranges: [[{ subnet: net.pods }]] },
    },
  ],
}

const kubeletConfig = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  address: net.node,
  port: 10250,
  healthzBindAddress: '127.0.0.1',
  healthzPort: 20248,
  tlsCertFile: key('kubelet-server.crt'),
  tlsPrivateKeyFile: key('kubelet-server.key'),
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true },
    x509: { clientCAFile: key('ca.crt') },
  },
  authorization: { mode: 'Webhook' },
  cgroupDriver: 'cgroupfs',
  failSwapOn: false,
  makeIPTablesUtilChains: false,
  oomScoreAdj: 0,
  maxPods: 60,
  resolvConf: '/etc/resolv.conf',
  enforceNodeAllocatable: [],
  // A log is rotated early, so that a test of rotation need not write ten megabytes.
  containerLogMaxSize: '4Mi',
  // A pod that is deleted as it starts is otherwise looked at again only after a minute or more.
  syncFrequency: '10s',
  // Seldom is a pod's use of disk looked at otherwise; an eviction would take a minute.
  volumeStatsAggPeriod: '5s',
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  imageGCHighThresholdPercent: 99,
  imageGCLowThresholdPercent: 98,
}
