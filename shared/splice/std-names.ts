/**
 * What of the standard library a body may name, as a list of what is allowed: a name that is new or forgotten is refused, and refusing is
 * seen at once by a reference body that needs it, while allowing would be seen by nobody. `all` allows a module whole; `except` all but
 * some names; `only` nothing but some.
 */
type Allowance = 'all' | { except: readonly string[] } | { only: readonly string[] }

const whole = `array ascii assert_matches async_iter bool borrow boxed bstr cell char clone cmp collections convert default error f16 f32 f64
  f128 ffi fmt future hash hint i8 i16 i32 i64 i128 isize iter marker num ops option path pat pin prelude primitive range rc result simd
  slice str string sync task time u8 u16 u32 u64 u128 unicode usize vec`

const modules: Record<string, Allowance> = {
  ...Object.fromEntries(whole.split(/\s+/).map((name) => [name, 'all' as const])),
  // A type's name holds the name of the test whose closure it is.
  any: { except: ['type_name', 'type_name_of_val'] },
  alloc: { only: ['Layout', 'LayoutError'] },
  io: {
    except:
      `stdin stdout stderr Stdin Stdout Stderr StdinLock StdoutLock StderrLock IsTerminal pipe PipeReader PipeWriter _print
      _eprint set_output_capture`.split(/\s+/),
  },
  mem: { except: ['transmute', 'transmute_copy'] },
  net: {
    only: 'IpAddr Ipv4Addr Ipv6Addr Ipv6MulticastScope SocketAddr SocketAddrV4 SocketAddrV6 AddrParseError'.split(
      ' ',
    ),
  },
  panic: {
    only: ['catch_unwind', 'resume_unwind', 'panic_any', 'AssertUnwindSafe', 'UnwindSafe', 'RefUnwindSafe'],
  },
  process: { only: ['ExitCode', 'Termination'] },
  ptr: 'all',
  // The current thread is named after the test that runs on it.
  thread: { except: ['current', 'current_id', 'Thread', 'ThreadId', 'add_spawn_hook'] },
}

const macros = new Set(
  `assert assert_eq assert_ne assert_matches column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne eprint eprintln
  file format format_args line matches module_path panic print println ready stringify thread_local todo unimplemented unreachable
  vec write writeln try`.split(/\s+/),
)

/** Macros of the standard library that read files or the build's environment, or end what the compiler guards. */
export const deniedMacros = new Set(
  'include include_str include_bytes env option_env cfg asm global_asm naked_asm concat_idents trace_macros log_syntax'.split(
    ' ',
  ),
)

export const isKnownMacro = (name: string): boolean => macros.has(name)

export const stdRoots = new Set(['std', 'core', 'alloc'])

/** Modules of which something is refused: their names are looked for wherever a path cannot be followed to its head. */
export const isSensitiveModule = (name: string): boolean => sensitive.has(name)
const sensitive = new Set([
  ...Object.entries(modules).flatMap(([name, allowance]) => (allowance === 'all' ? [] : [name])),
  ...'arch backtrace env fs intrinsics os'.split(' '),
])

/** Whether `leaf` of the standard library's module `module` is refused; null stands for the module as a whole, as `*` would take it. */
export function isDenied(module: string, leaf: string | null): boolean {
  const allowance = Object.hasOwn(modules, module) ? modules[module] : undefined
  if (allowance === undefined) return !(leaf === null && macros.has(module))
  if (allowance === 'all') return false
  if (leaf === null) return true
  return 'only' in allowance ? !allowance.only.includes(leaf) : allowance.except.includes(leaf)
}

/** The refused part of a path that begins at the standard library's root, as its key in the policy; null where all of it is allowed. */
export function deniedStdPath(path: readonly string[], glob: boolean): string | null {
  const [root, module, leaf] = path
  if (module === undefined) return glob ? `${root}::*` : null
  const key = ['std', module, ...(leaf === undefined ? [] : [leaf])].join('::')
  if (glob && leaf === undefined) return isDenied(module, null) ? `std::${module}::*` : null
  if (leaf === undefined) return isDenied(module, null) && !isPartial(module) ? key : null
  return isDenied(module, leaf) ? key : null
}

/** A module of which something is allowed may be imported by its own name; what is then taken from it is looked at where it is taken. */
const isPartial = (module: string): boolean => Object.hasOwn(modules, module)
