import { useState } from 'react'
import type { CommandDraft } from '#shared/domain/run.ts'
import { Field } from '../../components/ui/field.tsx'
import { changeDraft } from '../../stores/launch.ts'
import { commandLine, commandWords } from './command-words.ts'

/** Any program as a trainer: its command line as one would type it on the box. */
export function CommandFields({ command }: { command: CommandDraft }) {
  const [typed, setTyped] = useState(commandLine(command.argv))
  const open = commandWords(typed) === null
  return (
    <>
      <Field
        label="Command"
        about="As typed on the box; it finds RINGSIDE_RUN_FOLDER, RINGSIDE_VERIFIER and RINGSIDE_TOKEN_FILE set."
        fault={open ? 'a quote is not closed' : undefined}
      >
        {(ids) => (
          <input
            {...ids}
            className="mono"
            spellCheck={false}
            value={typed}
            placeholder="python3 train.py"
            onChange={({ target }) => {
              setTyped(target.value)
              changeDraft({ command: { ...command, argv: commandWords(target.value) ?? [] } })
            }}
          />
        )}
      </Field>
      <Field label="Its journal" about="Without one, only its beginning, its end and its log are known.">
        {(ids) => (
          <select
            {...ids}
            value={command.ownJournal ? 'own' : 'none'}
            onChange={({ target }) =>
              changeDraft({ command: { ...command, ownJournal: target.value === 'own' } })
            }
          >
            <option value="none">it writes none</option>
            <option value="own">it writes events.jsonl itself</option>
          </select>
        )}
      </Field>
    </>
  )
}
