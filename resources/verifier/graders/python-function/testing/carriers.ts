/**
 * Bodies for `double(value)` that answer rightly only where they find nothing left by an earlier input or nothing that the sandbox should
 * refuse. Full marks mean that it held; a body that got through answers with what it found.
 */
const carrier = (setup: string, ...lines: string[]) =>
  [setup, 'def double(value):', ...lines.map((line) => `    ${line}`), '    return value * 2', ''].join('\n')

/** Calls the kernel directly, by the numbers of both architectures, and answers wrongly where a call succeeds. */
const refused = (x64: number, arm64: number, ...args: string[]) =>
  carrier(
    'import ctypes, platform',
    `number = ${x64} if platform.machine() == "x86_64" else ${arm64}`,
    `if ctypes.CDLL(None, use_errno=True).syscall(number${args.map((arg) => `, ${arg}`).join('')}) != -1: return "went through"`,
  )

export const carriers: Record<string, string> = {
  'a file in its folder': carrier(
    'import os',
    'if os.listdir("."): return "found"',
    'open("mark", "w").close()',
  ),
  'a folder nested out of reach': carrier(
    'import os',
    'if os.listdir("/tmp"): return "found"',
    'for n in range(200):',
    '    os.mkdir("d" * 50)',
    '    os.chdir("d" * 50)',
    'os.chmod(".", 0)',
  ),
  'the folder itself shut': carrier('import os', 'os.listdir("/tmp")', 'os.chmod("/tmp", 0)'),
  'the time of its folder': carrier(
    'import os',
    'if os.stat("/tmp").st_mtime > 9e9: return "found"',
    'os.utime("/tmp", (1e10, 1e10))',
  ),
  'a file in a folder that looks untouched': carrier(
    'import os',
    'if os.path.exists("/tmp/mark"): return "found"',
    'open("/tmp/mark", "w").close()',
    'os.utime("/tmp", (0, 0))',
  ),
  'when its folder was last made anew': carrier(
    'import os, time',
    // A pipe's inode is made right after the folder was seen to.
    'if os.fstat(1).st_ctime - os.stat("/tmp").st_ctime > 0.25: return "found"',
    'time.sleep(0.3)',
  ),
  'an attribute of its folder': carrier(
    'import os',
    'if not hasattr(os, "setxattr"): return value * 2',
    'if os.listxattr("/tmp"): return "found"',
    'try: os.setxattr("/tmp", "user.mark", b"1")',
    'except OSError: pass',
  ),
  'a global': carrier('count = 0', 'global count', 'count += 1', 'if count > 1: return "found"'),
  'an offset of a file opened at import': carrier(
    'import os; file = open(os.__file__)',
    'if file.tell(): return "found"',
    'file.read(10)',
  ),
  'a pipe made at import': carrier(
    'import os; r, w = os.pipe(); os.set_blocking(r, False)',
    'try:',
    '    if os.read(r, 1): return "found"',
    'except BlockingIOError: pass',
    'os.write(w, b"1")',
  ),
  'a shared mapping made at import': carrier(
    'import mmap; shared = mmap.mmap(-1, 4096)',
    'if shared[0]: return "found"',
    'shared[0] = 1',
  ),
  'a module patched': carrier('import math', 'if math.pi > 4: return "found"', 'math.pi = 5'),
  'the environment': carrier(
    'import os',
    'if "MARK" in os.environ: return "found"',
    'os.environ["MARK"] = "1"',
  ),
  'a thread that stays': carrier(
    'import threading, time, os',
    'if os.path.exists("late"): return "found"',
    'def later():',
    '    time.sleep(0.05)',
    '    open("/tmp/late", "w").close()',
    'threading.Thread(target=later).start()',
  ),
  'a process that stays': carrier(
    'import os, time',
    'if os.path.exists("late"): return "found"',
    'try: child = os.fork()',
    'except OSError: return value * 2',
    'if child == 0:',
    '    time.sleep(0.05)',
    '    open("/tmp/late", "w").close()',
    '    os._exit(0)',
    'return "forked"',
  ),
  // The C library makes processes by another call, so these are tried by number; the other architecture has no such calls.
  'a process by fork': refused(57, 100_000),
  'a process by vfork': refused(58, 100_000),
  'a keyring': refused(248, 217, 'b"user"', 'b"mark"', 'b"1"', '1', '-2'),
  'System V memory': refused(29, 194, '7', '4096', '0o1666'),
  'a System V queue': refused(68, 186, '7', '0o1666'),
  'a look into the supervisor': refused(101, 117, '16', '1', '0', '0'),
  'the supervisor on other cores': refused(203, 122, '1', '8', 'ctypes.create_string_buffer(bytes([3]), 8)'),
  'the limits of the supervisor': refused(302, 261, '1', '4', 'ctypes.create_string_buffer(bytes(16))', '0'),
  'the priority of the supervisor': refused(141, 140, '0', '1', '5'),
  'a signal to all others, unseen': carrier(
    'import ctypes',
    'library = ctypes.CDLL(None)',
    'library.kill(1, 9); library.kill(-1, 9)',
  ),
  'a namespace of its own': refused(272, 97, '0x10000000'),
  'a mount': refused(165, 40, 'b"none"', 'b"/tmp"', 'b"tmpfs"', '0', '0'),
  'an io_uring': refused(425, 425, '8', 'ctypes.create_string_buffer(120)'),
  'a bpf program': refused(321, 280, '0', 'ctypes.create_string_buffer(120)', '120'),
  'a vsock': refused(41, 198, '40', '1', '0'),
  'a root identity': carrier(
    'import os',
    'if os.getuid() == 0 or os.getgid() == 0: return "root"',
    'try: os.setuid(0)',
    'except OSError: return value * 2',
    'return "became root"',
  ),
}
