import { createContext, type ReactNode, useContext } from 'react'
import type { DrawsOf } from '#shared/stats/study-draws.ts'
import { formatCount } from '../../app/format.ts'

export type Shown = { title: string; of: DrawsOf }

/** Opens the draws behind a figure. */
export const OpenDraws = createContext<(shown: Shown) => void>(() => undefined)

type Props = Shown & { count: number; children?: ReactNode }

/** A figure of the study; pressing it shows the draws that it counts. */
export function DrawsDoor({ title, of, count, children }: Props) {
  const open = useContext(OpenDraws)
  return (
    <button
      type="button"
      className="draws-door"
      title={`${title}: show the draws`}
      onClick={() => open({ title, of })}
    >
      {children ?? formatCount(count)}
    </button>
  )
}
