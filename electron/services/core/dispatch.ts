import { AppError } from '#shared/base/errors.ts'
import { attempt, type Result } from '#shared/base/result.ts'
import { type Handlers, inputs, type RequestName } from '#shared/ipc/contract.ts'

/** Turns a request from outside (a window, a socket) into a parsed call of its handler, and whatever happens into a `Result`. */
export function createDispatch(
  handlers: Handlers,
): (name: string, input: unknown) => Promise<Result<unknown>> {
  return (name, input) =>
    attempt(async () => {
      if (!Object.hasOwn(inputs, name)) throw new AppError('bad_input', `There is no request ${name}.`)
      const request = name as RequestName
      const parsed = inputs[request].safeParse(input)
      if (!parsed.success) {
        const issue = parsed.error.issues[0]
        const where = issue?.path.join('.') || 'input'
        throw new AppError('bad_input', `${request}: ${where}: ${issue?.message ?? 'does not fit'}.`)
      }
      // The input was parsed by the very schema that types this handler.
      return await (handlers[request] as (value: unknown) => unknown)(parsed.data)
    })
}
