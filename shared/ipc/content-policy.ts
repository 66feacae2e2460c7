/**
 * The window's Content-Security-Policy, the same whatever serves it: only its own files, no code from strings, no frames, no forms.
 *
 * Styles may be inline because CodeMirror, xterm.js and the toasts put `<style>` elements in at run time and offer no common way to pass
 * a nonce; whatever a candidate wrote is only ever shown as text.
 *
 * @param connect origins beside the window's own that it may open connections to, such as `ws://127.0.0.1:4711`.
 */
export function contentPolicy(connect: string[]): string {
  return [...directives(connect), "frame-ancestors 'none'"].join('; ')
}

/** The same for a `<meta>` element, where `frame-ancestors` has no effect and browsers complain about it. */
export const contentPolicyForMeta = (connect: string[]): string => directives(connect).join('; ')

const directives = (connect: string[]): string[] => [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  `connect-src ${["'self'", ...connect].join(' ')}`,
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "object-src 'none'",
]
