/**
 * When an alarm fires. Each limit says what it trades: too low and a healthy run cries, which teaches one to look away; too high and a run burns
 * money before anyone looks.
 */
export const limits = {
  /** Steps averaged over: long enough that one unlucky step of a few groups is no alarm, short enough to be told within minutes. */
  window: 20,
  /** Steps needed before an average says anything. */
  leastSteps: 5,
  /** Steps for which an alarm about one step stays, so that it is seen by who was away for a moment. */
  linger: 20,

  /** Of a finished step's rollouts without a reward. A trainer that goes on past even a few biases every group that they are in. */
  nullShare: 0.05,
  /** Of five steps' rollouts, and at least so many: below, one curious sample would be a spike. */
  tamperShare: 0.02,
  tamperLeast: 3,
  /** Times the share of the steps before: a policy that found something does it again. */
  tamperRise: 3,
  /** Silent groups give no gradient; above this more than half of what is generated and graded teaches nothing. */
  silentGroups: 0.6,
  /** Groups needed: with fewer, the share is chance. */
  silentLeast: 20,
  /** Of the reward's spread that is not the tests'. At half, format and length steer as much as correctness. */
  shaping: 0.5,
  /** Reward gained between the halves of the window while the held-out share gained less than `heldOutGain`. */
  rewardGain: 0.1,
  heldOutGain: 0.02,
  /** Standard errors that the gain must exceed. A long run is looked at thousands of times, and 3 happen by chance within it. */
  gainErrors: 4.5,
  /** Judged rollouts needed on each side: 40 have a standard error of 8 points, about the gain looked for. */
  heldOutLeast: 40,

  /** Of a gradient's norm at any step, the first too. Clipped training stays near 1; a model that diverges passes 1,000 within steps. */
  gradient: 1000,
  /** Times the median of the steps before; bf16 noise makes factors of 3 common. */
  gradientRise: 20,
  gradientLeast: 1,
  /** Of the first steps' entropy that may be lost or gained. Learning halves it; a tenth means one answer whatever the prompt. */
  entropyLow: 0.1,
  entropyHigh: 3,
  /** Times the median of the steps before, and at least so much: near 0 every factor is noise. */
  klRise: 5,
  klLeast: 0.05,

  /** Rollouts cut at the token limit are graded on half an answer. */
  truncation: 0.2,
  /** Of the bodies of five steps that are copies of another of the same step; a small task has few right answers, so only near-all counts. */
  duplicates: 0.9,
  duplicatesLeast: 80,

  /** A single rollout without a grade for so long, and so many times the slowest usual grade. */
  holdMs: 60_000,
  holdTimes: 5,
  /** Nothing written for so long, and so many times a usual step: a long generation is silent for minutes. */
  stallMs: 10 * 60_000,
  stallTimes: 5,
  /** Of a device's memory. The allocator needs a few per cent for its fragments. */
  memory: 0.95,
  /** Utilisation below which a device idles, and for how long: checkpoints and evaluation loading take minutes. */
  idle: 0.05,
  idleMs: 10 * 60_000,
  /** Of a disk's limit. Evidence of one long step must still fit. */
  disk: 0.9,
  /** How far ahead of this console the box may write: ages shown are wrong by as much. */
  skewMs: 30_000,
} as const
