import type { Isolation } from '#shared/domain/grade.ts'
import { formatBytes, formatCount, formatDuration } from '../../app/format.ts'
import { href } from '../../app/router.ts'
import { Mark } from '../../components/marks/mark.tsx'
import { statusInfo } from '../../components/marks/status-info.ts'
import { useNow } from '../../components/ui/use-now.ts'
import { useLiveData } from '../../stores/live.ts'
import type { LiveData } from '../../stores/live-data.ts'

/** The referee itself: what it works on, what waits, what it has used. */
export function VerifierCard() {
  const data = useLiveData()
  const { verifier } = data
  return (
    <section className="card" aria-labelledby="verifier-title">
      <h2 id="verifier-title" className="card-title">
        Verifier
        {verifier && (
          <small className="mono">
            {verifier.commit?.slice(0, 7) ?? `${verifier.suite.name} v${verifier.suite.version}`}
          </small>
        )}
      </h2>
      {verifier ? <Health data={data} /> : <NoHealth data={data} />}
      <LatestGrades data={data} />
    </section>
  )
}

function Health({ data }: { data: LiveData }) {
  const { verifier } = data
  if (!verifier) return null
  const busy = verifier.workers.filter((worker) => worker.task !== null)
  const warm = verifier.workers.filter((worker) => worker.cache === 'warm').length
  const longest = busy.toSorted((a, b) => (b.ageMs ?? 0) - (a.ageMs ?? 0))[0]
  const { usedBytes, limitBytes } = verifier.disk
  return (
    <dl className="peek-facts">
      <dt>workers</dt>
      <dd>
        {busy.length} of {verifier.workers.length} busy · {warm} warm
      </dd>
      <dt>longest grade</dt>
      <dd title={longest?.task ?? undefined}>
        {longest ? `${longest.task} ${formatDuration(longest.ageMs)}` : 'none under way'}
      </dd>
      <dt>queue</dt>
      <dd>{formatCount(verifier.queue)}</dd>
      <dt>graded · run</dt>
      <dd title="Identical bodies are executed once and replayed after that">
        {formatCount(verifier.graded)} · {formatCount(verifier.executed)}
      </dd>
      <dt>disk</dt>
      <dd>
        {formatBytes(usedBytes)}
        {limitBytes === null ? '' : ` of ${formatBytes(limitBytes)}`}
      </dd>
      <dt>restarts seen</dt>
      <dd>{data.restarts}</dd>
      <dt>isolation</dt>
      <dd
        title={verifier.isolationDetail}
        className={verifier.isolation === 'sandbox' ? undefined : 'fact-warn'}
      >
        {isolationWords[verifier.isolation]}
      </dd>
    </dl>
  )
}

const isolationWords: Record<Isolation, string> = {
  sandbox: 'sandbox',
  user: 'own user a slot',
  container: 'container only',
  limits: 'limits only',
  none: 'none',
}

function NoHealth({ data }: { data: LiveData }) {
  const now = useNow() + data.clockOffsetMs
  if (data.head?.phase === 'finished') return <p className="dim">Ended with the run.</p>
  if (data.verifierHeardMs === null) return <p className="dim">Not heard of yet.</p>
  return (
    <p className="dim">
      No answer; last heard {formatDuration(Math.max(0, now - data.verifierHeardMs))} ago.
    </p>
  )
}

/** The last few grades of the step in hand, newest first. */
function LatestGrades({ data }: { data: LiveData }) {
  const step = data.stepsWithPoints().at(-1)
  if (step === undefined || data.head?.phase === 'finished') return null
  const latest = data
    .pointsOf(step)
    .filter((point) => point.s !== 'pending')
    .slice(-4)
    .reverse()
  return (
    <ol className="latest-grades mono" aria-label="Latest grades">
      {latest.map((point) => (
        <li key={point.id}>
          <a href={href({ view: 'rollout', rollout: point.id, filter: '' })}>
            <span>
              {point.step}/{point.g}/{point.i}
            </span>
            <Mark status={point.s} size={9} />
            <span>{statusInfo(point.s).label}</span>
            <span>{point.r === null ? 'null' : point.r.toFixed(2)}</span>
          </a>
        </li>
      ))}
    </ol>
  )
}
