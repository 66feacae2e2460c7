import { ArrowLeft, ArrowRight, Download, EyeOff, Image, List, Maximize2, Minimize2 } from 'lucide-react'
import { toast } from 'sonner'
import { download, jsonl } from '../../components/rollout/download.ts'
import { liveData, useLive } from '../../stores/live.ts'
import { chooseBoard, useSettings } from '../../stores/settings.ts'
import { hide, moved } from './board-order.ts'
import { csvOf, type PanelId } from './panel-csv.ts'
import { pngOf } from './panel-png.ts'
import { TaskTally } from './task-heat.ts'

/** What can be done with a panel: enlarged, moved, hidden, saved as a picture or a table. */
export function PanelButtons({ id, title, all }: { id: PanelId; title: string; all: readonly PanelId[] }) {
  const board = useSettings((state) => state.board)
  const run = useLive((state) => state.run)
  const isLarge = board.large === id
  const name = `${run ?? 'run'}-${id}`
  const png = async (button: HTMLElement) => {
    const panel = button.closest<HTMLElement>('.panel')
    const blob = panel && (await pngOf(panel, `${title}, ${run}`))
    if (blob) download(`${name}.png`, blob)
    else toast.error(`${title} has drawn nothing yet that could be saved.`)
  }
  return (
    <span className="panel-tools">
      <Tool
        label={isLarge ? `Shrink ${title}` : `Enlarge ${title}`}
        onClick={() => chooseBoard({ large: isLarge ? null : id })}
      >
        {isLarge ? <Minimize2 size={12} aria-hidden /> : <Maximize2 size={12} aria-hidden />}
      </Tool>
      {!isLarge && (
        <>
          <Tool
            label={`Move ${title} back`}
            onClick={() => chooseBoard({ order: moved(board, all, id, -1) })}
          >
            <ArrowLeft size={12} aria-hidden />
          </Tool>
          <Tool label={`Move ${title} on`} onClick={() => chooseBoard({ order: moved(board, all, id, 1) })}>
            <ArrowRight size={12} aria-hidden />
          </Tool>
          <Tool label={`Hide ${title}`} onClick={() => chooseBoard({ hidden: hide(board, id) })}>
            <EyeOff size={12} aria-hidden />
          </Tool>
        </>
      )}
      <Tool label={`Save ${title} as PNG`} onClick={(button) => void png(button)}>
        <Image size={12} aria-hidden />
      </Tool>
      <Tool
        label={`Save ${title} as CSV`}
        onClick={() => download(`${name}.csv`, csvOf(id, liveData()), 'text/csv')}
      >
        <Download size={12} aria-hidden />
      </Tool>
      {id === 'tasks' && (
        <Tool
          label="Save the list of tasks as JSONL"
          onClick={() =>
            download(`${name}.jsonl`, jsonl(new TaskTally().take(liveData().steps).rows('name')))
          }
        >
          <List size={12} aria-hidden />
        </Tool>
      )}
    </span>
  )
}

type ToolProps = { label: string; onClick: (button: HTMLElement) => void; children: React.ReactNode }

const Tool = ({ label, onClick, children }: ToolProps) => (
  <button type="button" title={label} aria-label={label} onClick={(event) => onClick(event.currentTarget)}>
    {children}
  </button>
)
