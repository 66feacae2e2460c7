import { homedir } from 'node:os'
import { join } from 'node:path'

const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
const root = process.env.RINGSIDE_CLUSTER_DIR || join(cache, 'ringside/cluster')
const below = (path: string) => join(root, path)

/** Where the test cluster lies. Outside the clone, because building it takes minutes and serves every clone of this machine. */
export const places = {
  root,
  /** What a build made and later runs use: kept until somebody deletes it. */
  program: below('bin/kubernetes'),
  bin: below('bin'),
  build: below('build'),
  images: below('images'),
  /** Keys, tokens and kubeconfigs, made once. */
  keys: below('keys'),
  kubeconfig: below('kubeconfig'),
  commits: below('commits.json'),
  /** What a run of the cluster makes: wiped with each fresh start. */
  config: below('run/config'),
  records: below('run/records'),
  logs: below('run/logs'),
  etcd: below('run/etcd'),
  kubelet: below('run/kubelet'),
  cni: below('run/cni'),
  containerd: below('run/containerd'),
  socket: below('run/containerd.sock'),
}

/**
 * Addresses that nothing else on the machine should have. The node's is put on the loopback device: the API refuses 127/8 for a node, and
 * nothing is to be seen from outside.
 */
export const net = {
  nodeName: 'ringside-test',
  node: '10.251.0.1',
  pods: '10.245.0.0/24',
  services: '10.97.0.0/16',
  firstService: '10.97.0.1',
  bridge: 'ringside0',
  apiPort: 26443,
  etcdPort: 22379,
} as const

export const server = `https://127.0.0.1:${net.apiPort}`
