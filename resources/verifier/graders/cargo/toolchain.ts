import { execFile } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { promisify } from 'node:util'
import { AppError } from '#shared/base/errors.ts'

const run = promisify(execFile)

/** A Rust toolchain by its real folder: rustup's proxies stay outside, so that nothing is chosen, or fetched, at build time. */
export type Toolchain = { sysroot: string; cargo: string; version: string; cargoHome: string }

/** @throws AppError `cargo_missing`. */
export async function findToolchain(): Promise<Toolchain> {
  const ask = async (program: string, args: string[]) =>
    (await run(program, args, { timeout: 60_000 })).stdout
  try {
    const sysroot = realpathSync((await ask('rustc', ['--print', 'sysroot'])).trim())
    const own = `${sysroot}/bin/cargo`
    const cargo = existsSync(own) ? own : (await ask('/bin/sh', ['-c', 'command -v cargo'])).trim()
    const version = `${(await ask(cargo, ['-V'])).trim()}; ${(await ask(`${sysroot}/bin/rustc`, ['-V'])).trim()}`
    return { sysroot, cargo, version, cargoHome: process.env.CARGO_HOME ?? `${homedir()}/.cargo` }
  } catch (cause) {
    throw new AppError('cargo_missing', 'No working Rust toolchain was found (`rustc --print sysroot`).', {
      cause,
    })
  }
}
