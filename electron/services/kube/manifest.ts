import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { AppError } from '#shared/base/errors.ts'
import type { VerifierOrigin } from '#shared/domain/placement.ts'
import type { Origin } from '#shared/kube/derive.ts'
import { Deployment, Service } from '#shared/kube/objects.ts'
import { programs } from '../core/programs.ts'

type FromManifest = Extract<VerifierOrigin, { kind: 'manifest' }>

/** The project's own manifest with what a person filled in, as if it were a live verifier. */
export async function manifestOrigin(from: FromManifest): Promise<Origin> {
  const text = await readFile(join(programs.kube, 'verifier.yaml'), 'utf8')
  const documents = parseAllDocuments(text).map((document) => document.toJS() as unknown)
  const deployment = Deployment.parse(documents[0])
  const service = Service.parse(documents[1])
  const container = deployment.spec.template.spec.containers[0]
  if (!container) throw new AppError('internal', 'The manifest has no container.')
  container.image = from.image
  container.imagePullPolicy = from.pullPolicy
  const set = (name: string, value: string | null) => (value === null ? [] : [{ name, value }])
  container.env = [...set('RINGSIDE_REMOTE', from.remote), ...set('RINGSIDE_SUITE', from.suite)]
  return { deployment, service, configMaps: {}, digests: {} }
}
