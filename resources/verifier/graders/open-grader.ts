import type { Suite } from '../suite/load.ts'
import type { Grader, GraderOptions } from './grader.ts'

/** The grader that a suite asks for. Each kind is loaded only where it is used. */
export async function openGrader(suite: Suite, options: GraderOptions): Promise<Grader> {
  switch (suite.manifest.grader) {
    case 'python-function':
      return (await import('./python-function/grader.ts')).pythonFunctionGrader(suite, options)
    case 'cargo':
      return (await import('./cargo/grader.ts')).openCargoGrader(suite, options)
    case 'stdio':
      return (await import('./stdio/grader.ts')).openStdioGrader(suite, options)
  }
}
