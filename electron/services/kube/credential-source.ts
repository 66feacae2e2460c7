import { AppError } from '#shared/base/errors.ts'
import { type ClusterInfo, type Credential, execCredential } from './exec-credential.ts'
import { authorityOf, type KubeTarget, readNamed } from './kubeconfig.ts'
import { fromFile, type KubeUser } from './kubeconfig-file.ts'

export type Login = Credential & { username: string | null; password: string | null }

const nobody: Login = {
  token: null,
  certificate: null,
  key: null,
  expiresAt: null,
  username: null,
  password: null,
}

/** Renewed this long before it ends, so that no request leaves with a credential that ends on the way. */
const spareMs = 30_000

/** Who a context's user is to the server: from the file, from files that it names, or from a plugin, kept until it expires. */
export class CredentialSource {
  private readonly target: KubeTarget
  private readonly env: NodeJS.ProcessEnv
  private pending: Promise<Login> | null = null
  private expiresAt: Date | null = null

  constructor(target: KubeTarget, env: NodeJS.ProcessEnv) {
    this.target = target
    this.env = env
  }

  /** One plugin at a time, however many requests wait for it. @throws {AppError} `exec_credential`, `bad_kubeconfig`. */
  get(): Promise<Login> {
    if (this.expiresAt !== null && this.expiresAt.getTime() - spareMs <= Date.now()) this.pending = null
    this.pending ??= this.make().catch((failure: unknown) => {
      this.pending = null
      throw failure
    })
    return this.pending
  }

  /** Forgets what the server refused. @returns whether another one can be had: from a plugin, or from a file that something else rewrites. */
  renew(): boolean {
    const user = this.target.user?.value
    const renewable = Boolean(user?.exec) || user?.tokenFile != null
    if (renewable) this.pending = null
    return renewable
  }

  private async make(): Promise<Login> {
    const { user } = this.target
    this.expiresAt = null
    if (user === null) return nobody
    const { value, folder, name } = user
    if (value['auth-provider'] !== null)
      throw new AppError(
        'bad_kubeconfig',
        `User ${name} in ${user.file} logs in by auth-provider ${value['auth-provider'].name}, which Kubernetes no longer has.`,
        { hint: 'Use the provider’s exec credential plugin instead.' },
      )
    const own = await fromFiles(value, folder, name)
    if (own.token !== null || own.certificate !== null || value.exec === null) return own
    const cluster = value.exec.provideClusterInfo ? await this.clusterInfo() : null
    const made = await execCredential(value.exec, { folder, env: this.env, cluster })
    this.expiresAt = made.expiresAt
    return { ...own, ...made }
  }

  private async clusterInfo(): Promise<ClusterInfo> {
    const { cluster } = this.target
    const authority = await authorityOf(cluster)
    return {
      server: cluster.value.server,
      ...(authority !== null && { 'certificate-authority-data': Buffer.from(authority).toString('base64') }),
      ...(cluster.value['insecure-skip-tls-verify'] && { 'insecure-skip-tls-verify': true }),
    }
  }
}

async function fromFiles(user: KubeUser, folder: string, name: string): Promise<Login> {
  const pem = async (data: string | null, path: string | null, what: string) => {
    if (data !== null) return Buffer.from(data, 'base64').toString('utf8')
    return path === null ? null : readNamed(fromFile(folder, path), `the ${what} of user ${name}`)
  }
  const token =
    user.tokenFile === null
      ? user.token
      : (await readNamed(fromFile(folder, user.tokenFile), `the token of user ${name}`)).trim()
  return {
    token,
    certificate: await pem(user['client-certificate-data'], user['client-certificate'], 'certificate'),
    key: await pem(user['client-key-data'], user['client-key'], 'key'),
    expiresAt: null,
    username: user.username,
    password: user.password,
  }
}
