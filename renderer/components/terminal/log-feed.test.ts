import { expect, it } from 'vitest'
import { ok } from '#shared/base/result.ts'
import { LogFeed, type LogSink } from './log-feed.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** A log of bytes that can grow and be replaced, and a terminal that digests only when told to. */
function bench(start: string) {
  let log = bytes(start)
  const reads: [number, number][] = []
  const waiting: (() => void)[] = []
  let shown = ''
  let automatic = true
  const sink: LogSink = {
    write: (text, done) => {
      shown += text
      if (automatic) done()
      else waiting.push(done)
    },
    clear: () => {
      shown = ''
    },
  }
  const read = async (offset: number, limit: number) => {
    reads.push([offset, limit])
    const piece = log.subarray(offset, offset + limit)
    return ok({
      bytesBase64: btoa(String.fromCharCode(...piece)),
      offset,
      end: Math.min(log.length, Math.max(offset, offset + piece.length)),
      size: log.length,
      lastAt: null,
    })
  }
  return {
    read,
    sink,
    reads,
    shown: () => shown,
    append: (text: string) => {
      log = new Uint8Array([...log, ...bytes(text)])
    },
    replace: (text: string) => {
      log = bytes(text)
    },
    digestByHand: () => {
      automatic = false
    },
    digest: () => waiting.shift()?.(),
  }
}
const settled = () => new Promise((resolve) => setTimeout(resolve, 5))

it('reads the end of a long log from a whole line on, then only what is new', async () => {
  const log = bench('first line\nsecond é line\nthird\n')
  const feed = new LogFeed({ read: log.read, sink: log.sink, tailBytes: 16, chunkBytes: 5 })
  feed.poke()
  await settled()
  expect([log.shown(), feed.state.before]).toEqual(['third\r\n', 16])
  log.append('\u001b]0;title\u0007fourth é\n')
  feed.poke()
  await settled()
  expect([log.shown(), feed.state.dropped, feed.state.offset]).toEqual([
    'third\r\nfourth é\r\n',
    1,
    feed.state.size,
  ])
})

it('asks for no more before the terminal has digested what it got', async () => {
  const log = bench('aaaa\nbbbb\ncccc\n')
  log.digestByHand()
  const feed = new LogFeed({ read: log.read, sink: log.sink, chunkBytes: 5 })
  feed.poke()
  feed.poke()
  await settled()
  expect([log.shown(), log.reads.length]).toEqual(['aaaa\r\n', 2])
  log.digest()
  await settled()
  expect(log.shown()).toBe('aaaa\r\nbbbb\r\n')
})

it('reads nothing while held, and nothing is lost by it', async () => {
  const log = bench('one\n')
  const feed = new LogFeed({ read: log.read, sink: log.sink })
  feed.poke()
  await settled()
  feed.hold(true)
  log.append('two\n')
  feed.poke(8)
  await settled()
  expect([log.shown(), feed.state.offset, feed.state.size]).toEqual(['one\r\n', 4, 8])
  feed.hold(false)
  await settled()
  expect(log.shown()).toBe('one\r\ntwo\r\n')
})

it('starts anew where another log has taken the place of the old', async () => {
  const log = bench('a long old log\n')
  const feed = new LogFeed({ read: log.read, sink: log.sink })
  feed.poke()
  await settled()
  log.replace('new\n')
  feed.poke()
  await settled()
  expect(log.shown()).toBe('new\r\n')
})

it('shows only the lines that are wanted, whole, and all of them again without a filter', async () => {
  const log = bench('one error\ntwo\n\u001b[31mthree err')
  const feed = new LogFeed({ read: log.read, sink: log.sink, chunkBytes: 4 })
  feed.poke()
  await settled()
  feed.filter((line) => /error$/.test(line))
  await settled()
  const filtered = log.shown()
  log.append('or\u001b[0m\nfour\n')
  feed.poke()
  await settled()
  const grown = [log.shown().replace('\u001b[31m', '').replace('\u001b[0m', ''), feed.state.hidden]
  feed.filter(null)
  await settled()
  expect([filtered, grown, log.shown().split('\n').length - 1, feed.state.hidden]).toEqual([
    'one error\r\n',
    ['one error\r\nthree error\r\n', 2],
    4,
    null,
  ])
})

it('passes over what the terminal would only scroll away, and says so', async () => {
  const log = bench('one\ntwo\n')
  const feed = new LogFeed({ read: log.read, sink: log.sink, tailBytes: 12, chunkBytes: 6, skipBytes: 30 })
  feed.poke()
  await settled()
  feed.hold(true)
  for (let n = 100; n < 120; n += 1) log.append(`${n}\n`)
  feed.poke(88)
  feed.hold(false)
  await settled()
  const note = '\u001b[0m\r\n── 68 B passed over; they are in the file ──\r\n'
  expect(log.shown()).toBe(`one\r\ntwo\r\n${note}118\r\n119\r\n`)
  expect([feed.state.before, feed.state.offset, feed.state.size]).toEqual([68, 88, 88])
})
