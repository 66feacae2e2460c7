import { formatCount, formatDuration } from '../../app/format.ts'
import { useNow } from '../../components/ui/use-now.ts'
import { useLive, useLiveData } from '../../stores/live.ts'

/** What a run does before its first step and after its last, where the strip has no news: with how far it is and since when. */
export function StageBanner() {
  const data = useLiveData()
  const now = useNow()
  const since = useLive((state) => state.watchedSince)
  const { head } = data
  if (!head) return <Banner text={`Loading the run, for ${formatDuration(now - since)}.`} />
  if (head.phase === 'pending') {
    const beats = data.heartbeats.map((beat) => `${beat.name}: ${beat.detail || beat.state}`).join(' · ')
    return (
      <Banner text={`Waiting for the trainer’s first event, for ${formatDuration(now - since)}. ${beats}`} />
    )
  }
  if (head.imported) {
    const notes = head.alerts.filter(({ code }) => code === 'imported').map(({ text }) => text)
    return (
      <Banner
        text={[`Read from ${head.imported.from}: what it does not tell is unknown here.`, ...notes].join(' ')}
      />
    )
  }
  const evaluation = head.evals.find((row) => !row.finished)
  if (!evaluation || head.phase === 'finished') return null
  const share = evaluation.planned === 0 ? 0 : evaluation.drawn / evaluation.planned
  const when = evaluation.policy === 'baseline' ? 'before training' : 'after training'
  return (
    <Banner
      text={`Evaluation ${when}: ${formatCount(evaluation.drawn)} of ${formatCount(evaluation.planned)} fixed draws, ${formatCount(evaluation.passed)} pass the run’s own suite`}
      share={share}
    />
  )
}

function Banner({ text, share }: { text: string; share?: number }) {
  return (
    <div className="stage-banner" role="status">
      <span>{text}</span>
      {share === undefined ? null : (
        <span className="stage-progress" aria-hidden>
          <i style={{ width: `${100 * share}%` }} />
        </span>
      )}
    </div>
  )
}
