/** A clean environment: what a shell has set (`RUSTFLAGS`, `RUST_TEST_THREADS`, `CARGO_TERM_COLOR` …) changes what is built and printed. */
export const buildEnvironment = (
  toolchain: string,
  home: string,
  target: string,
): Record<string, string> => ({
  PATH: `${toolchain}/bin:/usr/bin:/bin`,
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  CARGO_HOME: home,
  CARGO_TARGET_DIR: target,
  CARGO_NET_OFFLINE: 'true',
  CARGO_TERM_COLOR: 'never',
  CARGO_TERM_PROGRESS_WHEN: 'never',
  // Debug information slows each link and changes no result; the place of a panic is kept without it.
  CARGO_PROFILE_DEV_DEBUG: '0',
  CARGO_PROFILE_TEST_DEBUG: '0',
})

export const testEnvironment: Record<string, string> = {
  HOME: '/tmp',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  RUST_BACKTRACE: '0',
}
