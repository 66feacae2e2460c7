/** The plain way of `plain.ts`, in the page. */
{
  const colours = {
    passed: '#35b98f',
    test_failed: '#e8a33d',
    build_failed: '#d9603b',
    timed_out: '#a58cf0',
  }
  const canvas = document.querySelector('canvas')
  const context = canvas.getContext('2d')
  let rows = []

  const draw = (shown) => {
    const last = rows.at(-1)?.step ?? 1
    context.clearRect(0, 0, canvas.width, canvas.height)
    for (const { step, status, reward } of shown) {
      context.fillStyle = colours[status]
      context.beginPath()
      context.arc((step / last) * canvas.width, (1 - reward) * canvas.height, 2, 0, 7)
      context.fill()
    }
  }
  const painted = () =>
    new Promise((resolve) =>
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now()))),
    )

  window.plain = {
    open: async () => {
      rows = await (await fetch('/rows')).json()
      draw(rows)
      return painted()
    },
    filter: async (after) => {
      const began = performance.now()
      draw(
        rows.filter(({ step, status, reward }) => status === 'test_failed' && reward < 0.6 && step > after),
      )
      return (await painted()) - began
    },
    jump: async (id) => {
      const began = performance.now()
      document.querySelector('#detail').textContent = JSON.stringify(rows.find((row) => row.id === id))
      return (await painted()) - began
    },
    /** Rows come at so many a second for so long, in portions of a tenth of a second. */
    grow: async (perSecond, seconds) => {
      const until = performance.now() + seconds * 1000
      let due = performance.now()
      while (performance.now() < until) {
        const late = Math.floor((performance.now() - due) / 100)
        due += late * 100
        const step = (rows.at(-1)?.step ?? 0) + 1
        for (let n = 0; n < (late * perSecond) / 10; n += 1)
          rows.push({ id: `r-20261129-mmmmmm/${step}/0/${n}`, step, status: 'passed', reward: n / 200 })
        if (late > 0) draw(rows)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return rows.length
    },
  }
}
