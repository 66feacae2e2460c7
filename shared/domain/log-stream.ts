/** The logs of a run: of the programs on its box, and of its verifier's pods where those are in a cluster. Each is the file `<name>.log`. */
export const logStreams = ['trainer', 'verifier', 'supervisor', 'pods'] as const
export type LogStream = (typeof logStreams)[number]
