import type { CustomScheme, Session } from 'electron'
import { contentPolicy } from '#shared/ipc/content-policy.ts'
import type { StaticFiles } from '../serve/static-files.ts'
import { isAppUrl } from './ipc.ts'

const scheme = 'ringside'

/** A standard, secure scheme: the page gets an origin of its own, which file:// pages do not have. */
export const appScheme: CustomScheme = {
  scheme,
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
}

/** Serves the built window's files, and only them, under the app's origin. */
export function serveApp(session: Session, files: StaticFiles): void {
  session.protocol.handle(scheme, async (request) => {
    if (!isAppUrl(request.url) || request.method !== 'GET') return new Response(null, { status: 403 })
    const file = await files.read(new URL(request.url).pathname)
    if (file === null) return new Response('There is nothing under this address.', { status: 404 })
    return new Response(file.bytes, {
      headers: {
        'content-type': file.type,
        'content-security-policy': contentPolicy([]),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
    })
  })
}
