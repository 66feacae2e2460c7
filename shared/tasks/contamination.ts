/** A body, or a stretch of one, found in a corpus. */
export type Finding = {
  task: string
  file: string
  /** Where the stretch begins, in the file's own bytes. */
  offset: number
  line: number
  /** Share of the body's n-grams that stand there together, 0 to 1. */
  share: number
  /** The text around it, cut. */
  context: string
}
