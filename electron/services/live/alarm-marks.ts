import type { AlarmMark } from '#shared/ipc/contract.ts'
import type { Database } from '../store/index/database.ts'

/** What was said of a run's alarms, as it stands. */
export const alarmMarks = (db: Database, run: string): AlarmMark[] =>
  db.all<AlarmMark>(
    'SELECT code, mark, since, alarm_marks.at FROM alarm_marks JOIN runs ON runs.id = alarm_marks.run WHERE runs.run = ? ORDER BY code',
    run,
  )
