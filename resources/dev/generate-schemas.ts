import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { GradeLine } from '#shared/domain/grade.ts'
import { GradeRequest } from '#shared/domain/verifier.ts'
import { RunEvent } from '#shared/journal/events.ts'

/** The schemas that the Python side checks what it writes and reads against, by file name. Run this file to write them anew. */
export const generatedSchemas: Record<string, unknown> = {
  'event.schema.json': z.toJSONSchema(RunEvent),
  'grade-line.schema.json': z.toJSONSchema(GradeLine),
  'grade-request.schema.json': z.toJSONSchema(GradeRequest),
}

export const schemaFolder = join(import.meta.dirname, '../trainer/ringside_trainer/generated')

export const schemaText = (schema: unknown) => `${JSON.stringify(schema, null, 2)}\n`

if (import.meta.main) {
  for (const [name, schema] of Object.entries(generatedSchemas))
    await writeFile(join(schemaFolder, name), schemaText(schema))
}
