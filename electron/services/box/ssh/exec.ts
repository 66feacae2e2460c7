import { AppError } from '#shared/base/errors.ts'
import { channelFailure } from './failures.ts'
import type { BoxChannel } from './transport.ts'

export type ExecResult = { code: number; stdout: Buffer; stderr: string }

export type ExecOptions = {
  input?: string | Uint8Array
  /** After this the channel is closed and the outcome unknown. */
  limitMs?: number
  /** Of output; what is more is a fault of the far side and ends the channel. */
  maxBytes?: number
}

const defaultLimitMs = 30_000
const defaultMaxBytes = 64 * 1024 * 1024

/**
 * Runs one command to its end.
 * @param open calls back at once when the channel is there: a short command's end may come in the same packet as its beginning, so that it must be
 * listened to within the callback itself.
 */
export function execBy(
  open: (take: (failure: unknown, channel: BoxChannel) => void) => void,
  box: string,
  options: ExecOptions = {},
): Promise<ExecResult> {
  return new Promise((resolve, reject) => {
    const limitMs = options.limitMs ?? defaultLimitMs
    let channel: BoxChannel | null = null
    const timer = setTimeout(() => {
      channel?.destroy()
      reject(new AppError('timed_out', `${box} did not finish a command within ${limitMs / 1000} s.`))
    }, limitMs)
    const settle = (outcome: ExecResult | AppError) => {
      clearTimeout(timer)
      if (outcome instanceof AppError) reject(outcome)
      else resolve(outcome)
    }
    try {
      open((failure, opened) => {
        if (failure) return settle(channelFailure(failure, box))
        channel = opened
        collect(opened, box, options.maxBytes ?? defaultMaxBytes, settle)
        opened.end(options.input ?? '')
      })
    } catch (failure) {
      settle(channelFailure(failure, box))
    }
  })
}

function collect(
  channel: BoxChannel,
  box: string,
  maxBytes: number,
  settle: (outcome: ExecResult | AppError) => void,
): void {
  const out: Buffer[] = []
  const said: Buffer[] = []
  let bytes = 0
  let exit: number | null = null
  channel.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxBytes) out.push(chunk)
    else {
      channel.destroy()
      settle(new AppError('too_large', `${box} answered with more than ${maxBytes} bytes.`))
    }
  })
  channel.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  channel.on('exit', (code: number | null) => {
    // A signal leaves no code: as a shell says it.
    exit = code ?? 128
  })
  channel.on('error', (failure: unknown) => settle(channelFailure(failure, box)))
  channel.on('close', () => {
    if (exit === null) settle(channelFailure(new Error('the link broke while a command ran'), box))
    else settle({ code: exit, stdout: Buffer.concat(out), stderr: Buffer.concat(said).toString() })
  })
}
