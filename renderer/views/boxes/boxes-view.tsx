import { useState } from 'react'
import { plural } from '../../app/format.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { Empty, Failure, Loading } from '../../components/ui/states.tsx'
import { pullBoxes, useBoxes } from '../../stores/boxes.ts'
import { AddBox } from './add-box.tsx'
import { BoxCard } from './box-card.tsx'
import './boxes.css'
import { ShellPane } from './shell-pane.tsx'

/** The machines behind SSH: added, tested, asked about, and logged in to. */
export function BoxesView() {
  const { boxes, error } = useBoxes()
  const [shell, setShell] = useState<string | null>(null)
  const open = boxes?.find((box) => box.id === shell) ?? null
  return (
    <>
      <HeaderSlot>
        <h1>Boxes</h1>
        {boxes && boxes.length > 0 ? (
          <span className="dim">{plural(boxes.length, 'box', 'boxes')}</span>
        ) : null}
      </HeaderSlot>
      <div className="boxes">
        <AddBox />
        {boxes === null ? (
          error ? (
            <Failure error={error} onRetry={pullBoxes} />
          ) : (
            <Loading what="the boxes" />
          )
        ) : boxes.length === 0 ? (
          <Empty title="No boxes yet">
            <p className="dim">
              A box is a machine that trains: a GPU host that you reach with ssh. Its verifier stays on this
              machine and is reached through a tunnel.
            </p>
          </Empty>
        ) : (
          <ul className="box-list">
            {boxes.map((box) => (
              <li key={box.id}>
                <BoxCard box={box} onShell={() => setShell(box.id)} />
              </li>
            ))}
          </ul>
        )}
      </div>
      {open && <ShellPane key={open.id} box={open} onClose={() => setShell(null)} />}
    </>
  )
}
