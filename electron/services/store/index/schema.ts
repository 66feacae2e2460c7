import { isGraded, statuses } from '#shared/domain/grade.ts'

/** Raised whenever what follows changes, or what the reducer puts into it: an index of another version is thrown away and built again. */
export const schemaVersion = 5

const graded = statuses
  .filter(isGraded)
  .map((status) => `'${status}'`)
  .join(', ')

/**
 * Everything here can be rebuilt from journals, console records and evidence.
 *
 * - Hashes are interned: a body, evidence or completion is named by many rollouts.
 * - The outcomes of a grade are one letter a test beside the interned list of the tests' names, so that 600,000 outcomes are 600 KB.
 * - Grades themselves stay in the journal; `grade_at` and `grade_bytes` say where.
 * - `rev` counts changes of a run's rows from the run's `base`, which grows with every rebuild, one number a changed row: what `live.since` pages by.
 * - A verdict that is not known is null, and so is everything concluded from it. Comparisons with null are null, and a filter takes only true.
 */
export const schema = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE hashes(id INTEGER PRIMARY KEY, sha TEXT NOT NULL UNIQUE);
CREATE TABLE test_lists(id INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE);
CREATE TABLE runs(
  id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, base INTEGER NOT NULL, rev INTEGER NOT NULL,
  journal_end INTEGER NOT NULL DEFAULT 0, journal_tail TEXT, console_end INTEGER NOT NULL DEFAULT 0, console_tail TEXT,
  next_n INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL, audit_suite TEXT, torn_down INTEGER NOT NULL DEFAULT 0,
  interrupted_at TEXT, interrupted_why TEXT, spec TEXT, audit_share REAL NOT NULL DEFAULT 1);
CREATE TABLE steps(run INTEGER NOT NULL, step INTEGER NOT NULL, rev INTEGER NOT NULL, reward_mean REAL, row TEXT NOT NULL,
  PRIMARY KEY(run, step)) WITHOUT ROWID;
CREATE INDEX steps_rev ON steps(run, rev);
CREATE TABLE memory(run INTEGER NOT NULL, rev INTEGER NOT NULL, sample TEXT NOT NULL, PRIMARY KEY(run, rev)) WITHOUT ROWID;
CREATE TABLE rollouts(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, n INTEGER NOT NULL, rev INTEGER NOT NULL, rollout TEXT NOT NULL UNIQUE,
  phase TEXT NOT NULL, policy TEXT, step INTEGER, grp INTEGER, idx INTEGER NOT NULL, task TEXT NOT NULL,
  completion INTEGER, tokens INTEGER, truncated INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL DEFAULT 'pending', reward REAL, total REAL, advantage REAL, components TEXT NOT NULL DEFAULT '{}',
  passed INTEGER, tests INTEGER, ms REAL, reason TEXT, cache TEXT, queue_ms REAL, body INTEGER, evidence INTEGER,
  test_list INTEGER, outcomes TEXT, grade_at INTEGER, grade_bytes INTEGER, silent INTEGER,
  audit_status TEXT, audit_reward REAL, audit_passed INTEGER, audit_total INTEGER,
  false_acceptance INTEGER AS (CASE WHEN status IN (${graded}) THEN status = 'passed' AND
    CASE WHEN audit_status IN (${graded}) THEN audit_status <> 'passed' END END) STORED,
  false_rejection INTEGER AS (CASE WHEN status IN (${graded}) THEN status <> 'passed' AND
    CASE WHEN audit_status IN (${graded}) THEN audit_status = 'passed' END END) STORED,
  by_reward REAL AS (coalesce(reward, 9e99)) VIRTUAL,
  by_audit REAL AS (coalesce(audit_reward, 9e99)) VIRTUAL,
  by_ms REAL AS (coalesce(-ms, 9e99)) VIRTUAL);
CREATE UNIQUE INDEX rollouts_order ON rollouts(run, n);
CREATE INDEX rollouts_live ON rollouts(run, rev) WHERE step IS NOT NULL;
CREATE INDEX rollouts_status ON rollouts(run, status, n);
CREATE INDEX rollouts_body ON rollouts(run, body, n);
CREATE INDEX rollouts_group ON rollouts(run, step, grp, idx);
CREATE INDEX rollouts_policy ON rollouts(run, policy) WHERE policy IS NOT NULL;
CREATE INDEX rollouts_reward ON rollouts(run, by_reward, n);
CREATE INDEX rollouts_audit ON rollouts(run, by_audit, n);
CREATE INDEX rollouts_ms ON rollouts(run, by_ms, n);
CREATE INDEX rollouts_false ON rollouts(run, n) WHERE false_acceptance = 1;
CREATE TABLE audits(run INTEGER NOT NULL, task TEXT NOT NULL, body INTEGER NOT NULL, suite TEXT,
  status TEXT NOT NULL, reward REAL, passed INTEGER, total INTEGER, reason TEXT, test_list INTEGER, outcomes TEXT,
  at INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY(run, task, body)) WITHOUT ROWID;
CREATE INDEX audits_anywhere ON audits(suite, task, body);
CREATE TABLE regrades(run INTEGER NOT NULL, suite TEXT NOT NULL, task TEXT NOT NULL, body INTEGER NOT NULL, name TEXT NOT NULL, origin TEXT NOT NULL,
  status TEXT NOT NULL, reward REAL, passed INTEGER, total INTEGER, evidence INTEGER, PRIMARY KEY(run, suite, task, body)) WITHOUT ROWID;
CREATE TABLE verdicts(run INTEGER NOT NULL, body INTEGER NOT NULL, verdict TEXT, note TEXT NOT NULL, PRIMARY KEY(run, body)) WITHOUT ROWID;
CREATE TABLE alarm_marks(run INTEGER NOT NULL, code TEXT NOT NULL, mark TEXT NOT NULL, since TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY(run, code)) WITHOUT ROWID;
CREATE TABLE contents(run INTEGER NOT NULL, hash INTEGER NOT NULL, kind TEXT NOT NULL, present INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0, tried_at TEXT, reason TEXT, PRIMARY KEY(run, hash)) WITHOUT ROWID;
CREATE INDEX contents_missing ON contents(run) WHERE present = 0;
CREATE VIRTUAL TABLE texts USING fts5(text, content='', contentless_delete=1, tokenize='trigram');
`
