import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addPin, removePin } from '#shared/ssh/hosts-file.ts'
import { type HostKey, judgeHostKey, knownTypes, parseKnownHosts } from '#shared/ssh/known-hosts.ts'

const hmac = (salt: string, text: string) =>
  createHmac('sha1', Buffer.from(salt, 'base64')).update(text).digest('base64')
const key = (fill: string, type = 'ssh-ed25519'): HostKey => ({
  type,
  base64: Buffer.from(fill.repeat(8)).toString('base64'),
})
const [right, wrong] = [key('right'), key('wrong')]

const judge = (text: string, host: string, port: number, offered: HostKey) =>
  judgeHostKey(parseKnownHosts(text).entries, host, port, offered, hmac)
const line = (hosts: string, k: HostKey) => `${hosts} ${k.type} ${k.base64} comment\n`

describe('known_hosts', () => {
  it.each([
    ['a plain name', line('gpu-1', right), 'known'],
    ['a name in a list', line('other,gpu-1,10.0.0.1', right), 'known'],
    ['a wildcard', line('gpu-*', right), 'known'],
    ['a negated name on the line', line('gpu-*,!gpu-1', right), 'unknown'],
    ['another case', line('GPU-1', right), 'known'],
    ['another key of the same type', line('gpu-1', wrong), 'changed'],
    ['another type only', line('gpu-1', key('right', 'ssh-rsa')), 'other_types'],
    ['the key of another port', line('[gpu-1]:2222', right), 'unknown'],
    ['a longer name', line('gpu-11', right), 'unknown'],
    ['a dot that is no wildcard', line('gpu.1', right), 'unknown'],
    ['a revoked key beside a plain one', `${line('gpu-1', right)}@revoked ${line('*', right)}`, 'revoked'],
    ['a certificate authority alone', `@cert-authority ${line('*', right)}`, 'unknown'],
    ['right and wrong key', line('gpu-1', wrong) + line('gpu-1', right), 'known'],
    ['nothing', '# a comment\n\n', 'unknown'],
  ])('%s', (_, text, state) => {
    expect(judge(text, 'gpu-1', 22, right).state).toBe(state)
  })

  it('understands hashed names and ports as ssh-keygen writes them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'known-hosts-'))
    try {
      const file = join(folder, 'known_hosts')
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')])
      const [type = '', base64 = ''] = readFileSync(join(folder, 'key.pub'), 'utf8').split(' ')
      writeFileSync(file, `gpu-1 ${type} ${base64}\n[gpu-2]:2222 ${type} ${base64}\n`)
      execFileSync('ssh-keygen', ['-H', '-f', file], { stdio: 'ignore' })
      const text = readFileSync(file, 'utf8')
      const { entries } = parseKnownHosts(text)
      expect(text).not.toContain('gpu')
      expect([
        judge(text, 'gpu-1', 22, { type, base64 }).state,
        judge(text, 'gpu-2', 2222, { type, base64 }).state,
        judge(text, 'gpu-2', 22, { type, base64 }).state,
        judge(text, 'gpu-1', 22, wrong).state,
        knownTypes(entries, 'gpu-2', 2222, hmac),
      ]).toEqual(['known', 'known', 'unknown', 'changed', ['ssh-ed25519']])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('names the lines that it cannot read', () => {
    expect(
      parseKnownHosts(`gpu-1 ssh-ed25519\n@odd ${line('a', right)}${line('b', right)}`).unreadable,
    ).toEqual([1, 2])
  })
})

describe('a name pinned in a hosts file', () => {
  const file = '127.0.0.1 localhost\n10.0.0.9 xverifier.mesh verifier.mesh.example # verifier.mesh\n'
  const pin = { address: '10.0.0.7', name: 'verifier.mesh', lease: 'l-1' }

  it('is added by its exact name and taken away by its lease alone', () => {
    const added = addPin(file, pin)
    expect(added).toEqual({ state: 'add', text: `${file}10.0.0.7\tverifier.mesh\t# ringside:l-1\n` })
    const text = added.state === 'add' ? added.text : ''
    expect(addPin(text, pin)).toEqual({ state: 'own', text })
    expect(addPin(`10.0.0.7 verifier.mesh`, pin).state).toBe('present')
    // Another run's: it goes with that run, so this one gets a line of its own.
    expect(addPin(text, { ...pin, lease: 'l-2' }).state).toBe('add')
    expect(removePin(text, 'l-1')).toEqual({ text: file, removed: 1 })
    expect(removePin(text, 'l')).toEqual({ text, removed: 0 })
  })

  it('is refused where the name stands for another address', () => {
    expect(addPin('10.0.0.9 Verifier.Mesh', pin)).toEqual({ state: 'conflict', line: 1, address: '10.0.0.9' })
  })

  it('keeps a file without a last newline whole', () => {
    const added = addPin('1.2.3.4 a', pin)
    expect(added.state === 'add' && added.text.startsWith('1.2.3.4 a\n10.0.0.7')).toBe(true)
  })
})
