import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { net, places, server } from './places.ts'
import { run } from './shell.ts'

const key = (name: string) => join(places.keys, name)
const days = '3650'

/** Who is given a certificate by the cluster's own authority, as what, and under which names it may serve. */
const identities = {
  api: {
    subject: '/CN=kube-apiserver',
    names: `IP:127.0.0.1,IP:${net.node},IP:${net.firstService},DNS:localhost,DNS:kubernetes.default.svc`,
  },
  'kubelet-server': {
    subject: `/CN=${net.nodeName}`,
    names: `IP:127.0.0.1,IP:${net.node},DNS:${net.nodeName}`,
  },
  'api-to-kubelet': { subject: '/O=system:masters/CN=api-to-kubelet', names: null },
  admin: { subject: '/O=system:masters/CN=admin', names: null },
  controllers: { subject: '/CN=system:kube-controller-manager', names: null },
  scheduler: { subject: '/CN=system:kube-scheduler', names: null },
  kubelet: { subject: `/O=system:nodes/CN=system:node:${net.nodeName}`, names: null },
}

/** Makes what is missing of authority, certificates, tokens and kubeconfigs; what is there stays as it is. */
export function makeKeys(): void {
  mkdirSync(places.keys, { recursive: true, mode: 0o700 })
  if (!existsSync(key('ca.crt'))) {
    run('openssl', ['genrsa', '-out', key('ca.key'), '2048'])
    const authority = ['-subj', '/CN=ringside-test', '-days', days, '-out', key('ca.crt')]
    run('openssl', ['req', '-x509', '-new', '-sha256', '-key', key('ca.key'), ...authority])
    run('openssl', ['genrsa', '-out', key('accounts.key'), '2048'])
    run('openssl', ['rsa', '-in', key('accounts.key'), '-pubout', '-out', key('accounts.pub')])
  }
  for (const [name, { subject, names }] of Object.entries(identities)) certify(name, subject, names)
  if (!existsSync(key('tokens.csv'))) {
    const line = (user: string, group: string) =>
      `${randomBytes(16).toString('hex')},${user},${user},"${group}"\n`
    // The viewer may do nothing: every verb is refused to it.
    writeFileSync(key('tokens.csv'), line('test-admin', 'system:masters') + line('test-viewer', 'viewers'), {
      mode: 0o600,
    })
  }
  writeKubeconfig(places.kubeconfig, { token: tokenOf('test-admin') })
  writeKubeconfig(`${places.kubeconfig}-viewer`, { token: tokenOf('test-viewer') })
  for (const name of ['admin', 'controllers', 'scheduler', 'kubelet'])
    writeKubeconfig(
      name === 'admin' ? `${places.kubeconfig}-cert` : key(`${name}.kubeconfig`),
      certificateOf(name),
    )
}

function certify(name: string, subject: string, names: string | null): void {
  if (existsSync(key(`${name}.crt`))) return
  const purposes = ['keyUsage=digitalSignature,keyEncipherment', 'extendedKeyUsage=serverAuth,clientAuth']
  const extensions = names === null ? purposes : [...purposes, `subjectAltName=${names}`]
  writeFileSync(key(`${name}.ext`), `${extensions.join('\n')}\n`)
  run('openssl', ['genrsa', '-out', key(`${name}.key`), '2048'])
  run('openssl', ['req', '-new', '-key', key(`${name}.key`), '-subj', subject, '-out', key(`${name}.csr`)])
  const authority = ['-CA', key('ca.crt'), '-CAkey', key('ca.key'), '-CAcreateserial', '-days', days]
  const out = ['-extfile', key(`${name}.ext`), '-out', key(`${name}.crt`)]
  run('openssl', ['x509', '-req', '-sha256', '-in', key(`${name}.csr`), ...authority, ...out])
}

export function tokenOf(user: string): string {
  const line = readFileSync(key('tokens.csv'), 'utf8')
    .split('\n')
    .find((text) => text.includes(`,${user},`))
  return line?.split(',')[0] ?? ''
}

const certificateOf = (name: string) => ({
  'client-certificate-data': readFileSync(key(`${name}.crt`)).toString('base64'),
  'client-key-data': readFileSync(key(`${name}.key`)).toString('base64'),
})

/** JSON is YAML: a kubeconfig needs no library to be written. */
function writeKubeconfig(file: string, user: Record<string, string>): void {
  const authority = readFileSync(key('ca.crt')).toString('base64')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'ringside-test', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'tester', user }],
    contexts: [
      { name: 'ringside-test', context: { cluster: 'ringside-test', user: 'tester', namespace: 'default' } },
    ],
    'current-context': 'ringside-test',
  }
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 })
}
