import { expect, onTestFinished, test } from 'vitest'
import { hasSshd, testNet } from '../box/ssh/testing.ts'
import { eventually } from '../box/testing.ts'
import { Shells } from './shells.ts'

const real = test.skipIf(!hasSshd)

async function shellOnBox() {
  const net = await testNet()
  const server = await net.server('box')
  net.known(server.knownHosts)
  net.configure(net.host('box', server))
  const boxes = await net.boxes()
  const { id } = await boxes.add('box')
  let told = 0
  const shells = new Shells(boxes, () => {
    told += 1
  })
  onTestFinished(() => shells.dispose())
  const { shell } = await shells.handlers['shell.open']({ box: id, cols: 91, rows: 17 })
  let text = ''
  const read = async () => {
    const { bytesBase64, ended } = await shells.handlers['shell.read']({ shell })
    text += Buffer.from(bytesBase64, 'base64').toString()
    return ended
  }
  const says = (what: RegExp) =>
    eventually(String(what), async () => {
      await read()
      return what.test(text)
    })
  const type = (line: string) => shells.handlers['shell.write']({ shell, text: line })
  return { shells, shell, says, type, read, told: () => told, text: () => text, server }
}

real(
  'a shell on the box is a terminal of the size that was asked for, and of the one it is changed to',
  async () => {
    const { shells, shell, says, type, read } = await shellOnBox()
    await type('stty size; echo "tty=$(test -t 0 && echo yes)"\r')
    await says(/17 91\r\n/)
    await says(/tty=yes/)
    await shells.handlers['shell.resize']({ shell, cols: 40, rows: 5 })
    await type('stty size\r')
    await says(/5 40\r\n/)
    await type('exit 3\r')
    let ended: string | null = null
    await eventually('the end', async () => {
      ended ??= await read()
      return ended !== null
    })
    expect(ended).toBe('The shell ended with 3.')
    await expect(
      Promise.resolve().then(() => shells.handlers['shell.read']({ shell })),
    ).rejects.toMatchObject({ code: 'not_found' })
  },
)

real('a window that does not read makes the box wait, and every line comes once it does', async () => {
  const { says, type, read, text, told } = await shellOnBox()
  const lines = 60_000
  await type(`stty -echo; seq -f 'line %06.0f of a command that pours text out' 1 ${lines}; echo o''ver\r`)
  // Some megabytes: far more than is held. With nobody reading, it stops being told.
  let before = -1
  await eventually('silence', async () => {
    const same = told() === before
    before = told()
    await new Promise((resolve) => setTimeout(resolve, 500))
    return same && told() === before
  })
  await says(/over\r\n/)
  await read()
  const numbers = [...text().matchAll(/line (\d{6}) of/g)].map((match) => Number(match[1]))
  expect(numbers.filter((number, index) => number !== index + 1)).toEqual([])
  expect(numbers).toHaveLength(lines)
})

real('a link that breaks says that the outcome is unknown', async () => {
  const { read, server } = await shellOnBox()
  server.cutAll()
  let ended: string | null = null
  await eventually('the end', async () => {
    ended ??= await read()
    return ended !== null
  })
  expect(ended).toMatch(/connection broke/)
})
