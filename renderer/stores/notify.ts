import type { Alarm } from '#shared/alarms/alarm.ts'
import { chooseNotify } from './settings.ts'

/** Whether this shell has desktop notifications at all. */
export const canNotify = (): boolean => 'Notification' in window

/** One notification a code and run: a later one takes the place of the earlier. */
export function notify(run: string, { code, title, text }: Alarm): void {
  if (!canNotify() || Notification.permission !== 'granted') return
  const shown = new Notification(title, { body: `${run}. ${text}`, tag: `${run} ${code}` })
  shown.onclick = () => window.focus()
}

/** Asks the system for leave the first time; without it the choice stays off. */
export async function toggleNotify(on: boolean): Promise<void> {
  if (on && canNotify() && Notification.permission !== 'granted') {
    if ((await Notification.requestPermission()) !== 'granted') return
  }
  chooseNotify(on)
}
