import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { generatedSchemas, schemaFolder, schemaText } from './generate-schemas.ts'

it.each(Object.entries(generatedSchemas))('%s is what the zod schemas say now', async (name, schema) => {
  expect(await readFile(join(schemaFolder, name), 'utf8'), 'run node resources/dev/generate-schemas.ts').toBe(
    schemaText(schema),
  )
})
