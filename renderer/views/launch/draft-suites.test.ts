import { expect, test } from 'vitest'
import type { SuiteOption } from '#shared/ipc/contract.ts'
import { fakeOptions } from '../../testing/fake-launch.ts'
import { trainerFault, withSuites } from './draft-suites.ts'

const [booking] = fakeOptions.suites
if (!booking) throw new Error('the fake offers no suite')
const rust = (path: string, change: Partial<SuiteOption>): SuiteOption => ({
  ...booking,
  ...{ path, grader: 'cargo', needs: 'commit' },
  ...change,
})
const options = {
  ...fakeOptions,
  suites: [
    ...fakeOptions.suites,
    rust('/a', { madeAt: 'a'.repeat(40) }),
    rust('/b', {}),
    rust('/own', { needs: 'folder' }),
  ],
}
const draft = fakeOptions.defaults

test('a suite over a repository asks for one, with the commit that it was made at; one beside its folder does not', () => {
  const first = withSuites(draft, options, { suite: '/a' })
  expect(first).toEqual({
    ...{ name: booking.name, suite: '/a', audit: draft.audit },
    source: { repo: '', commit: 'a'.repeat(40) },
  })
  const typed = { ...draft, ...first, source: { repo: '~/code', commit: 'main' } }
  expect(withSuites(typed, options, { suite: '/b' }).source).toEqual({ repo: '~/code', commit: 'main' })
  expect(withSuites(typed, options, { suite: booking.path, audit: '/b' }).source?.repo).toBe('~/code')
  expect(withSuites(typed, options, { suite: '/own' }).source).toBeNull()
  expect(withSuites(typed, options, { suite: booking.path }).source).toBeNull()
})

test('a name that nobody typed follows the suite, and a typed one stays', () => {
  const [, repaired] = fakeOptions.suites
  const there = withSuites(draft, options, { suite: repaired?.path ?? '' })
  expect(there.name).toBe('booking-repaired')
  expect(withSuites({ ...draft, ...there }, options, { suite: draft.suite }).name).toBe(draft.name)
  expect(withSuites({ ...draft, name: 'mine' }, options, { suite: '/a' }).name).toBe('mine')
})

test('the embedded trainer is not offered a suite that it cannot write for', () => {
  const asked = { ...draft, suite: '/a' }
  expect(trainerFault(asked, options)).toContain('choose another trainer')
  expect(trainerFault({ ...asked, command: { argv: ['train'], ownJournal: false } }, options)).toBeNull()
  expect(trainerFault(draft, options)).toBeNull()
})
