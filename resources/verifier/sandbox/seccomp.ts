import { refusedCalls, watchedCalls } from './syscalls.ts'

// Operations of classic BPF, as the kernel's seccomp reads them: load a word, jump if equal / greater or equal / any bit set, return.
const load = 0x20
const ifEqual = 0x15
const ifAtLeast = 0x35
const ifBits = 0x45
const answer = 0x06

// Offsets in struct seccomp_data; an argument's low word comes first on both little-endian architectures.
const atCall = 0
const atArchitecture = 4
const atArgument = (index: number) => 16 + 8 * index

const allow = 0x7fff0000
const kill = 0x80000000
const refuse = 0x00050000
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const CLONE_THREAD = 0x00010000
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const cloneNamespaces = 0x7e020000
/** FS_IOC_SETFLAGS and FS_IOC_FSSETXATTR: marks on a folder that a wipe would not see. */
const markingIoctls = [0x40086602, 0x401c5820]
/** Unix and internet sockets stay within the network namespace; vsock, netlink, AF_ALG and the rest are refused. */
const socketFamilies = [1, 2, 10]

type Architecture = 'x64' | 'arm64'
const audit: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 }

/** One instruction: operation, operand, and for jumps how many instructions to skip where it holds and where not. */
type Step = [operation: number, operand: number, holds: number, fails: number]

const step = (operation: number, operand: number, holds = 0, fails = 0): Step => [
  operation,
  operand,
  holds,
  fails,
]

function assemble(steps: Step[]): Buffer {
  const out = Buffer.alloc(steps.length * 8)
  steps.forEach(([operation, operand, holds, fails], index) => {
    out.writeUInt16LE(operation, index * 8)
    out.writeUInt8(holds, index * 8 + 2)
    out.writeUInt8(fails, index * 8 + 3)
    out.writeUInt32LE(operand, index * 8 + 4)
  })
  return out
}

/** Kills foreign architectures, whose numbers mean other calls, and the x32 calls of x86-64; leaves the call's number loaded. */
const prologue = (architecture: Architecture): Step[] => [
  step(load, atArchitecture),
  step(ifEqual, audit[architecture], 1),
  step(answer, kill),
  step(load, atCall),
  ...(architecture === 'x64' ? [step(ifAtLeast, 0x40000000, 0, 1), step(answer, kill)] : []),
]

const numberOf = (entry: readonly [number, number | null], architecture: Architecture) =>
  architecture === 'x64' ? entry[0] : entry[1]

const refuseCall = (number: number | null, code: number): Step[] =>
  number === null ? [] : [step(ifEqual, number, 0, 1), step(answer, refuse | code)]

/** Runs `steps`, which must end in an answer, for one call; other calls skip them. */
const onCall = (number: number | null, steps: Step[]): Step[] =>
  number === null ? [] : [step(ifEqual, number, 0, steps.length), ...steps]

function known(architecture: string): Architecture | null {
  return architecture === 'x64' || architecture === 'arm64' ? architecture : null
}

/**
 * The filter for everything in a sandbox, its own supervisor too: refuses `refusedCalls`, new namespaces, odd sockets and marks on folders.
 * @returns the program as the kernel reads it, or null where this architecture has no table here.
 */
export function sandboxFilter(architecture: string): Buffer | null {
  const arch = known(architecture)
  if (arch === null) return null
  const watched = (name: keyof typeof watchedCalls) => numberOf(watchedCalls[name], arch)
  return assemble([
    ...prologue(arch),
    ...Object.values(refusedCalls).flatMap((entry) => refuseCall(numberOf(entry, arch), EPERM)),
    // clone3 hides its flags behind a pointer; the C library falls back to clone.
    ...refuseCall(watched('clone3'), ENOSYS),
    ...onCall(watched('clone'), [
      step(load, atArgument(0)),
      step(ifBits, cloneNamespaces, 0, 1),
      step(answer, refuse | EPERM),
      step(answer, allow),
    ]),
    ...onCall(watched('socket'), [
      step(load, atArgument(0)),
      ...socketFamilies.flatMap((family) => [step(ifEqual, family, 0, 1), step(answer, allow)]),
      step(answer, refuse | EAFNOSUPPORT),
    ]),
    ...onCall(watched('ioctl'), [
      step(load, atArgument(1)),
      ...markingIoctls.flatMap((request) => [step(ifEqual, request, 0, 1), step(answer, refuse | EPERM)]),
      step(answer, allow),
    ]),
    // Process 1 is the supervisor, whose limits and cores its children inherit; it names itself by 0.
    ...(['prlimit64', 'sched_setaffinity'] as const).flatMap((name) =>
      onCall(watched(name), [
        step(load, atArgument(0)),
        step(ifEqual, 1, 0, 1),
        step(answer, refuse | EPERM),
        step(answer, allow),
      ]),
    ),
    step(answer, allow),
  ])
}

/**
 * The filter that one child puts on itself before a program runs in it: threads yes, processes no. It comes on top of `sandboxFilter`, which
 * has seen to foreign architectures. The kernel runs a new filter over every call's number to learn what needs no running later, for each
 * child anew, so the way of the many calls that are none of these is short.
 */
export function threadsOnlyFilter(architecture: string): Buffer | null {
  const arch = known(architecture)
  if (arch === null) return null
  const watched = (name: keyof typeof watchedCalls) => numberOf(watchedCalls[name], arch)
  const low = (['fork', 'vfork', 'clone'] as const).map((name) => watched(name) ?? 0)
  return assemble([
    step(load, atCall),
    step(ifAtLeast, Math.max(...low) + 1, 0, 3),
    ...refuseCall(watched('clone3'), ENOSYS),
    step(answer, allow),
    ...refuseCall(watched('fork'), EPERM),
    ...refuseCall(watched('vfork'), EPERM),
    ...onCall(watched('clone'), [
      step(load, atArgument(0)),
      step(ifBits, CLONE_THREAD, 1, 0),
      step(answer, refuse | EPERM),
      step(answer, allow),
    ]),
    step(answer, allow),
  ])
}
