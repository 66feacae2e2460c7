import { useEffect, useState } from 'react'

/** The window's clock, ms, read anew every `everyMs`: for ages, which grow without any news. Use it in the smallest component there is. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
