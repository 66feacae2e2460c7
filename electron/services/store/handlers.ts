import { AppError } from '#shared/base/errors.ts'
import { alarmMarks } from '../live/alarm-marks.ts'
import { compareSeries } from '../live/compare.ts'
import { falseAccepted, since } from '../live/since.ts'
import { rolloutDetail } from '../rollouts/detail.ts'
import { NearestRight } from '../rollouts/nearest.ts'
import { decodeUtf8 } from './journal.ts'
import type { OpenStore } from './open-store.ts'
import { fullState, savedRun } from './saved-run.ts'
import { summarise } from './summary.ts'
import type { StoreHandlers } from './types.ts'

/** The requests of the window that the store answers. */
export function storeHandlers(store: OpenStore): StoreHandlers {
  const { db, deps, paths } = store
  const nearest = new NearestRight(db, store.evidenceStore)
  return {
    'runs.list': () =>
      store
        .runs()
        .flatMap((run) => indexed(store, run))
        .reverse(),
    'runs.state': ({ run }) => {
      const state = fullState(db, run)
      if (!state.spec) throw new AppError('not_found', `${run} has no readable spec.`)
      return { state, summary: store.summary(run), spec: state.spec }
    },
    'live.since': ({ run, afterSeq }) => ({
      ...since(db, savedRun(db, run), afterSeq),
      falseAccepted: falseAccepted(db, run),
      alarmMarks: alarmMarks(db, run),
      heartbeats: store.heartbeats(run),
      verifier: deps.verifierHealth?.(run) ?? null,
      now: deps.now().toISOString(),
    }),
    'alarms.mark': async ({ run, ...mark }) => {
      savedRun(db, run)
      await store.record(run, { at: deps.now().toISOString(), type: 'alarm.marked', ...mark })
      return { recorded: true as const }
    },
    'compare.series': ({ runs, metric }) => runs.map((run) => compareSeries(db, run, metric)),
    'rollouts.page': (input) => store.lists.page(input),
    'rollouts.neighbour': (input) => store.lists.neighbour(input),
    'rollouts.get': ({ rollout }) =>
      rolloutDetail(
        {
          db,
          paths,
          evidence: store.evidenceStore,
          suites: store.suites,
          completionOf: (run, sha256) => store.contents.completion(run, sha256),
        },
        rollout,
      ),
    'rollouts.nearest': ({ rollout }) => nearest.of(rollout),
    'evidence.get': async ({ sha256 }) => {
      const bytes = await store.evidenceStore.get(sha256)
      if (!bytes)
        throw new AppError('not_found', `There is no evidence ${sha256} here.`, {
          hint: 'It may still be on its way from the verifier; look again in a moment.',
        })
      return { json: decodeUtf8(bytes) }
    },
    'export.rollouts': ({ run, filter }) => {
      const rows = [...store.exportRows(run, filter)]
      return { jsonl: rows.map((row) => `${row}\n`).join(''), rows: rows.length }
    },
  }
}

/** Newest run first; one whose files could not be read in is not shown with made-up numbers. */
function indexed(store: OpenStore, run: string) {
  try {
    return [summarise(store.db, savedRun(store.db, run), store.deps.leasesHeld?.(run) ?? 0)]
  } catch (failure) {
    if (failure instanceof AppError && failure.code === 'not_found') return []
    throw failure
  }
}
