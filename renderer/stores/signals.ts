import { create } from 'zustand'

/** What the core said has changed, for views to pull what they show of it. Holds numbers and names only, never rows. */
type Signals = {
  /** By run: the last sequence number told of. */
  seqs: Record<string, number>
  /** By run: how often its audit went on. */
  audits: Record<string, number>
  /** By `run/stream`: size of the log in bytes. */
  logs: Record<string, number>
  /** By run, then by label of the row. */
  teardowns: Record<string, Record<string, 'releasing' | 'released' | 'left'>>
}

export const useSignals = create<Signals>()(() => ({ seqs: {}, audits: {}, logs: {}, teardowns: {} }))
